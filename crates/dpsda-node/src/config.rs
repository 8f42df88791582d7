//! `[node]`: the settings of one host. Everything that members must agree on is in the manifest.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dpsda::catalog::Key;
use dpsda::keys::Value;
use dpsda::{Error, Keys};

/// Every key, for lists and starter files.
pub const KEYS: &[Key] = &[
    Key { name: "key", about: "the file with this node's secret key (default \"node.key\")" },
    Key { name: "manifest", about: "the signed manifest (default \"manifest.toml\")" },
    Key {
        name: "listen",
        about: "address and port for peers, UDP; or a list: one IPv4 and one IPv6 address",
    },
    Key { name: "peers", about: "a table: a member's name = its address and port, or a list of them" },
    Key { name: "relays", about: "URLs of relays for members that no address reaches (default none)" },
    Key { name: "store", about: "the folder of the store (default \"store\"); \"memory\": none, for tests" },
    Key { name: "stream", about: "where costs come from: data (as the experiment says), stdin or http" },
    Key {
        name: "pace",
        about: "the most rounds per second while the node is not behind (default 50 for data without lock-step)",
    },
    Key {
        name: "http",
        about: "loopback address and port for status, metrics, decisions, estimates and costs (default: none)",
    },
    Key { name: "decisions", about: "a file that every decision is appended to; \"-\": standard output" },
    Key { name: "rounds", about: "free (DPSDA-R: no node waits) or lock-step (DPSDA-C and DPSDA-PS always)" },
    Key {
        name: "wait",
        about: "lock-step: seconds that a round waits for peers that were not heard (default 1); the first round waits \
                until all are connected",
    },
    Key { name: "ask", about: "seconds that the first release waits for a message of a peer (default 0.5)" },
    Key { name: "idle", about: "seconds of silence after which a peer counts as dead (default 2)" },
    Key {
        name: "linger",
        about: "seconds that a node goes on relaying after all rounds are done (default: until stopped)",
    },
    Key { name: "noise", about: "system (secret) or seed (repeats the simulator, and hides nothing)" },
    Key { name: "drop", about: "the share of messages that are dropped instead of sent, for tests" },
];

/// A `[node]` table, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The key's file.
    pub key: PathBuf,
    /// The manifest's file.
    pub manifest: PathBuf,
    /// The addresses it listens at.
    pub listen: Vec<SocketAddr>,
    /// The addresses of other members, by name.
    pub peers: Vec<(String, Vec<SocketAddr>)>,
    /// The URLs of relays.
    pub relays: Vec<String>,
    /// The store's folder. None: the store is in memory.
    pub store: Option<PathBuf>,
    /// Where costs come from.
    pub stream: StreamFrom,
    /// Rounds per second.
    pub pace: Option<f64>,
    /// The address of its HTTP server.
    pub http: Option<SocketAddr>,
    /// Where decisions go.
    pub decisions: Option<Output>,
    /// Whether rounds are in lock-step. None: as the algorithm needs.
    pub lock_step: Option<bool>,
    /// How long a lock-step round waits.
    pub wait: Duration,
    /// How long the first release waits for a first message of a peer.
    pub ask: Duration,
    /// How long a peer may be silent before it counts as dead.
    pub idle: Duration,
    /// How long the node goes on relaying when all work is done.
    pub linger: Option<Duration>,
    /// Whether the noise comes from the public seed.
    pub seeded: bool,
    /// The share of messages that are dropped.
    pub drop: f64,
}

/// Where costs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFrom {
    /// The data that the experiment names.
    Data,
    /// JSON lines on standard input.
    Stdin,
    /// JSON lines posted over HTTP.
    Http,
}

/// Where decisions go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// To standard output.
    Stdout,
    /// To the end of a file.
    File(PathBuf),
}

impl Config {
    /// Reads the table `[node]` of a file. Paths are relative to `base`, the folder of that file. Other tables are ignored.
    pub fn read(text: &str, base: &Path) -> Result<Self, Error> {
        let table = dpsda_config::table(text)?;
        let top = Keys::new("", &table);
        let keys = top.table("node")?.ok_or_else(|| {
            Error::missing("node", "a table [node] with this host's own keys (`dpsda node init` writes one)")
        })?;
        let path = |key: &str, default: &str| keys.str(key).map(|found| base.join(found.unwrap_or(default)));
        let stream = keys.choice(
            "stream",
            &[("data", StreamFrom::Data), ("stdin", StreamFrom::Stdin), ("http", StreamFrom::Http)],
        )?;
        let store = match keys.str("store")? {
            Some("memory") => None,
            Some("") => return Err(keys.bad("store", "expected a folder of its own, e.g. \"store\"")),
            found => Some(base.join(found.unwrap_or("store"))),
        };
        let decisions = keys.str("decisions")?.map(|found| match found {
            "-" => Output::Stdout,
            file => Output::File(base.join(file)),
        });
        let lock_step = match keys.raw("rounds") {
            None => None,
            Some(_) => Some(keys.choice("rounds", &[("free", false), ("lock-step", true)])?),
        };
        let listen = addresses(&keys, "listen")?.unwrap_or_else(|| vec![ANYWHERE.into()]);
        let fours = listen.iter().filter(|at| at.is_ipv4()).count();
        if listen.is_empty() || fours > 1 || listen.len() - fours > 1 {
            return Err(keys.bad("listen", "expected one address, or one IPv4 and one IPv6 address"));
        }
        let config = Self {
            key: path("key", "node.key")?,
            manifest: path("manifest", "manifest.toml")?,
            listen,
            peers: read_peers(&keys)?,
            relays: keys.strs("relays")?.unwrap_or_default().into_iter().map(str::to_owned).collect(),
            store,
            stream,
            pace: read_pace(&keys)?,
            http: read_http(&keys)?,
            decisions,
            lock_step,
            wait: seconds(&keys, "wait", 1.0, 0.0..=3600.0)?,
            ask: seconds(&keys, "ask", 0.5, 0.0..=60.0)?,
            idle: seconds(&keys, "idle", 2.0, 0.1..=15.0)?,
            linger: match keys.raw("linger") {
                None => None,
                Some(_) => Some(seconds(&keys, "linger", 0.0, 0.0..=1e9)?),
            },
            seeded: keys.choice("noise", &[("system", false), ("seed", true)])?,
            drop: keys
                .f64_where("drop", 0.0, "a share from 0 to less than 1", |s| (0.0..1.0).contains(&s))?,
        };
        if config.stream == StreamFrom::Http && config.http.is_none() {
            return Err(keys.bad(
                "stream",
                "costs come over HTTP, but `node.http` is not set (e.g. http = \"127.0.0.1:4780\")",
            ));
        }
        keys.finish()?;
        Ok(config)
    }
}

/// Any free port, on all IPv4 addresses.
const ANYWHERE: ([u8; 4], u16) = ([0; 4], 0);

fn address(text: &str) -> Option<SocketAddr> {
    text.parse().ok()
}

/// One address or a list of them.
fn addresses(keys: &Keys<'_>, key: &str) -> Result<Option<Vec<SocketAddr>>, Error> {
    let Some(value) = keys.raw(key) else { return Ok(None) };
    let list = match value {
        Value::List(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let read: Option<Vec<_>> = list.iter().map(|v| v.as_str().and_then(address)).collect();
    let expected = "expected an IP address and a port, e.g. \"192.0.2.7:4701\" or \"[2001:db8::7]:4701\", or a list of them";
    read.map(Some).ok_or_else(|| keys.bad(key, expected))
}

fn read_peers(keys: &Keys<'_>) -> Result<Vec<(String, Vec<SocketAddr>)>, Error> {
    let Some(peers) = keys.table("peers")? else { return Ok(Vec::new()) };
    let names: Vec<String> = peers.entries().map(|(name, _)| name.to_owned()).collect();
    let read = |name: String| {
        let found = addresses(&peers, &name)?.unwrap_or_default();
        if found.iter().any(|at| at.port() == 0) {
            return Err(peers.bad(&name, "no peer listens on port 0 (give the port that it listens on)"));
        }
        Ok((name, found))
    };
    names.into_iter().map(read).collect()
}

fn read_pace(keys: &Keys<'_>) -> Result<Option<f64>, Error> {
    let pace = keys.f64("pace")?;
    match pace {
        Some(pace) if !(1e-6..=1e6).contains(&pace) => Err(keys
            .bad("pace", "expected rounds per second: more than 0 (at least 0.000001), at most 1,000,000")),
        pace => Ok(pace),
    }
}

fn read_http(keys: &Keys<'_>) -> Result<Option<SocketAddr>, Error> {
    let Some(text) = keys.str("http")? else { return Ok(None) };
    let found = address(text)
        .ok_or_else(|| keys.bad("http", "expected a loopback address and a port, e.g. \"127.0.0.1:4780\""))?;
    crate::http::loopback(found)?;
    Ok(Some(found))
}

fn seconds(keys: &Keys<'_>, key: &str, default: f64, range: RangeInclusive<f64>) -> Result<Duration, Error> {
    let expected = format!("seconds, from {} to {}", range.start(), range.end());
    let found = keys.f64_where(key, default, &expected, |s| range.contains(&s))?;
    Ok(Duration::from_secs_f64(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, String> {
        Config::read(&format!("title = \"x\"\n[node]\n{text}"), Path::new("/at")).map_err(|e| e.to_string())
    }

    #[test]
    fn missing_keys_have_defaults_and_paths_are_relative_to_the_file() {
        let config = read("").unwrap();
        assert_eq!(config.key, Path::new("/at/node.key"));
        assert_eq!(config.store.as_deref(), Some(Path::new("/at/store")));
        assert_eq!((config.stream, config.pace, config.http), (StreamFrom::Data, None, None));
        assert_eq!(read("store = \"memory\"").unwrap().store, None);
        let peers =
            read("[node.peers]\nb = \"127.0.0.1:1\"\nc = [\"127.0.0.1:2\", \"[::1]:3\"]").unwrap().peers;
        assert_eq!(peers[1], ("c".into(), vec!["127.0.0.1:2".parse().unwrap(), "[::1]:3".parse().unwrap()]));
    }

    #[test]
    fn wrong_values_are_named_with_a_remedy() {
        for (text, words) in [
            ("lissten = \"x\"", "did you mean `listen`?"),
            ("listen = \"nowhere\"", "node.listen = \"nowhere\": expected an IP address"),
            ("listen = [\"127.0.0.1:1\", \"127.0.0.1:2\"]", "one IPv4 and one IPv6 address"),
            ("listen = []", "expected one address"),
            ("http = \"0.0.0.0:80\"", "SSH tunnel"),
            ("stream = \"http\"", "`node.http` is not set"),
            ("stream = \"file\"", "Known here: data, stdin, http"),
            ("pace = 0", "expected rounds per second"),
            ("pace = 1e-300", "expected rounds per second"),
            ("store = \"\"", "a folder of its own"),
            ("drop = 1.0", "a share from 0 to less than 1"),
            ("wait = -1", "seconds, from 0 to 3600"),
            ("idle = 0", "node.idle = 0: expected seconds, from 0.1 to 15"),
            ("noise = \"none\"", "Known here: system, seed"),
            ("[node.peers]\nb = 5", "node.peers.b = 5"),
            (
                "[node.peers]\nb = \"127.0.0.1:0\"",
                "node.peers.b = \"127.0.0.1:0\": no peer listens on port 0",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
        assert!(Config::read("", Path::new("")).unwrap_err().to_string().contains("node init"));
    }

    #[test]
    fn every_key_that_is_read_is_listed() {
        let error = read("zzz = 1").unwrap_err();
        for key in KEYS {
            assert!(error.contains(key.name), "{}: {error}", key.name);
        }
    }
}
