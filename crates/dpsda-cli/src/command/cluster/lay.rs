//! The folder of a cluster: keys, manifest, and a file for every node.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::net::{TcpListener, UdpSocket};
use std::path::{Path, PathBuf};

use dpsda_config::{Rules, RunConfig, sweep};
use dpsda_data::Prepared;
use dpsda_node::config::Config;
use dpsda_node::identity::Identity;
use dpsda_node::manifest::Signed;
use toml::{Table, Value};

use crate::args::UpArgs;
use crate::command::manifest;
use crate::command::run::read;
use crate::failure::Failure;

/// The folder of a node is called this, followed by its number.
const NODE: &str = "node-";
/// The file that is locked by the process that runs the nodes.
const LOCK: &str = "lock";

/// A cluster and its folder.
pub(crate) struct Layout {
    pub(crate) dir: PathBuf,
    pub(crate) signed: Signed,
    pub(crate) nodes: Vec<NodeFiles>,
    /// What the plan warns of, where the cluster is to run.
    pub(crate) warnings: Vec<String>,
    /// Locked by the one process that runs its nodes.
    lock: Option<File>,
}

/// One node of a cluster: its name, files and address.
#[derive(Default)]
pub(crate) struct NodeFiles {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    pub(crate) log: PathBuf,
    pub(crate) decisions: PathBuf,
    pub(crate) http: String,
    /// The folder of its store; none if the store is in memory.
    pub(crate) store: Option<PathBuf>,
}

fn trouble(path: &Path) -> impl Fn(std::io::Error) -> Failure + '_ {
    move |e| Failure::Io(format!("{}: {e}", path.display()))
}

impl Layout {
    /// Makes the folder, or goes on with an existing one of the same experiment.
    pub(super) fn make(args: &UpArgs) -> Result<Self, Failure> {
        let text = read(&args.file)?;
        let whole: Table = text.parse().map_err(|e: toml::de::Error| {
            Failure::Syntax(e.to_string().trim_end().to_owned()).in_file(&args.file)
        })?;
        let mut own = match whole.get("node") {
            None => Table::new(),
            Some(Value::Table(own)) => own.clone(),
            Some(_) => return Err(Failure::Input("`node` is not a table (write [node])".into())),
        };
        if let Some(share) = args.drop {
            own.insert("drop".into(), Value::Float(share));
        }
        let (own_keys, keys): (Vec<_>, Vec<_>) =
            args.keys.set.iter().cloned().partition(|set| set.trim_start().starts_with("node."));
        let mut table = sweep::parse(&text, &keys)?;
        let host = sweep::parse("", &own_keys)?;
        if let Some(Value::Table(more)) = host.get("node") {
            own.extend(more.clone());
        }
        each_its_own(&own)?;
        settle_paths(&mut table, args.file.parent().unwrap_or(Path::new("")));
        if args.dir.exists() && !args.dir.is_dir() {
            return Err(Failure::Input(format!(
                "--dir {}: it is a file, but it must be a folder (give one that exists or can be made)",
                args.dir.display()
            )));
        }
        if args.dir.join("manifest.toml").exists() {
            let layout = Self { lock: Some(hold(&args.dir)?), ..Self::open(&args.dir)? };
            layout.same(table)?;
            super::fit(args, layout.nodes.len())?;
            let (prepared, run) = hosted(args, &layout.signed.manifest.experiment)?;
            fed(&prepared, &own)?;
            return Ok(Self { warnings: run.spec.plan().warnings(), ..layout.refit(&own)? });
        }
        let other = |file: std::io::Result<fs::DirEntry>| file.is_ok_and(|file| file.file_name() != LOCK);
        if args.dir.read_dir().is_ok_and(|mut files| files.any(other)) {
            return Err(Failure::Input(format!(
                "{} is not empty and holds no cluster (give another --dir)",
                args.dir.display()
            )));
        }
        Rules::NEWEST.state(&mut table);
        Self::lay(args, &table.to_string(), &own)
    }

    fn lay(args: &UpArgs, experiment: &str, own: &Table) -> Result<Self, Failure> {
        let dir = args.dir.as_path();
        let (prepared, run) = hosted(args, experiment)?;
        let count = run.spec.blocks().nodes();
        super::fit(args, count)?;
        fed(&prepared, own)?;
        let identities = (0..count).map(|_| Identity::generate()).collect::<Result<Vec<_>, _>>();
        let identities = identities.map_err(|e| Failure::Io(e.to_string()))?;
        let members: Vec<_> =
            identities.iter().enumerate().map(|(k, id)| (format!("{NODE}{k}"), id.public())).collect();
        let mut signed = manifest::make(experiment, &dir.join("manifest.toml"), &members, None, 1, None)?;
        for identity in &identities {
            signed.sign(identity).map_err(|why| Failure::Input(why.to_string()))?;
        }
        let (udp, tcp) = ports(count).map_err(|e| Failure::Io(format!("no free ports: {e}")))?;
        // Keys that every node would refuse are refused before anything is written.
        file_of(0, own, &udp, &tcp)?;
        fs::create_dir_all(dir).map_err(trouble(dir))?;
        let lock = Some(hold(dir)?);
        for (k, identity) in identities.iter().enumerate() {
            let place = dir.join(format!("{NODE}{k}"));
            fs::create_dir_all(&place).map_err(trouble(&place))?;
            identity.write(&place.join("node.key")).map_err(|e| Failure::Io(e.to_string()))?;
            let file = place.join("node.toml");
            fs::write(&file, file_of(k, own, &udp, &tcp)?).map_err(trouble(&file))?;
        }
        manifest::write(&signed, &dir.join("manifest.toml"))?;
        Ok(Self { warnings: run.spec.plan().warnings(), lock, ..Self::open(dir)? })
    }

    /// Reads a folder that was made.
    pub(super) fn open(dir: &Path) -> Result<Self, Failure> {
        let path = dir.join("manifest.toml");
        let text = fs::read_to_string(&path).map_err(|e| {
            Failure::Input(format!(
                "{}: {e} (start a cluster there: dpsda cluster up FILE --dir {})",
                path.display(),
                dir.display()
            ))
        })?;
        let signed =
            Signed::read(&text).map_err(|why| Failure::Input(format!("{}: {why}", path.display())))?;
        let place = |member: &dpsda_node::manifest::Member| {
            let folder = dir.join(&member.name);
            let file = folder.join("node.toml");
            let text = read(&file)?;
            let config = Config::read(&text, &folder).map_err(|e| Failure::from(e).in_file(&file))?;
            let http = config.http.map(|http| http.to_string()).ok_or_else(|| {
                Failure::Input(format!(
                    "{}: `node.http` is missing, and a cluster needs it to watch its nodes",
                    file.display()
                ))
            })?;
            Ok(NodeFiles {
                name: member.name.clone(),
                log: folder.join("log.jsonl"),
                decisions: folder.join("decisions.jsonl"),
                store: config.store,
                file,
                http,
            })
        };
        let nodes = signed.manifest.member.iter().map(place).collect::<Result<Vec<_>, Failure>>()?;
        Ok(Self { dir: dir.to_owned(), signed, nodes, warnings: Vec::new(), lock: None })
    }

    fn same(&self, experiment: Table) -> Result<(), Failure> {
        let lines = manifest::apart(experiment, &self.signed.manifest)?;
        if lines.is_empty() {
            return Ok(());
        }
        let lines = lines.join("\n  ");
        Err(Failure::Input(format!(
            "{}: it holds a cluster of another experiment (give another --dir):\n  {lines}",
            self.dir.display()
        )))
    }

    /// The same nodes, with these keys instead of the last ones.
    fn refit(self, own: &Table) -> Result<Self, Failure> {
        let mut files = Vec::new();
        for place in &self.nodes {
            let mut table: Table =
                read(&place.file)?.parse().map_err(|e: toml::de::Error| Failure::Syntax(e.to_string()))?;
            if let Some(Value::Table(node)) = table.get_mut("node") {
                node.retain(|key, _| OWN.contains(&key));
                node.extend(own.clone());
            }
            let text = format!("{ANEW}{table}");
            Config::read(&text, Path::new(""))?; // before any of them is overwritten
            files.push((&place.file, text));
        }
        for (file, text) in files {
            fs::write(file, text).map_err(trouble(file))?;
        }
        Ok(Self { lock: self.lock, ..Self::open(&self.dir)? })
    }
}

/// Locks the folder of a cluster: only one process may run its nodes. The lock ends with the process.
fn hold(dir: &Path) -> Result<File, Failure> {
    let path = dir.join(LOCK);
    let file = OpenOptions::new().create(true).append(true).open(&path).map_err(trouble(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Failure::Input(format!(
            "{}: another `dpsda cluster up` runs the nodes in this folder (stop it first, or give another --dir)",
            dir.display()
        ))),
        Err(TryLockError::Error(e)) => Err(trouble(&path)(e)),
    }
}

/// The experiment as a node reads it.
fn hosted(args: &UpArgs, experiment: &str) -> Result<(Prepared, RunConfig), Failure> {
    let hosted = crate::command::node::signed(experiment, &args.dir);
    hosted.map_err(|e| Failure::from(e).in_file(&args.file))
}

/// Checks that costs can reach the nodes.
fn fed(experiment: &Prepared, own: &Table) -> Result<(), Failure> {
    let stream = own.get("stream").and_then(Value::as_str).unwrap_or("data");
    if stream == "http" {
        return Ok(());
    }
    if !experiment.arrives(0) {
        return Ok(experiment.ready(0)?); // all nodes are on this host
    }
    let remedy = "the experiment's costs arrive while it runs, and nodes of a cluster have no standard input \
                  (post them: -s node.stream=http)";
    Err(dpsda::Error::value("node.stream", format!("{stream:?}"), remedy).into())
}

/// The first line of a node's file.
const ANEW: &str = "# Rewritten by every `dpsda cluster up`: use -s node.KEY=VALUE to set other keys.\n";

/// Keys that differ between the nodes of a cluster.
const OWN: [&str; 6] = ["key", "manifest", "listen", "http", "peers", "decisions"];

fn each_its_own(own: &Table) -> Result<(), Failure> {
    let found = OWN.iter().find_map(|key| own.get_key_value(*key));
    match found {
        None => Ok(()),
        Some((key, value)) => Err(Failure::Input(format!(
            "node.{key} = {value}: each node of a cluster needs its own, and `cluster up` sets it (leave it out)"
        ))),
    }
}

/// The keys of an experiment that name files.
const PATHS: [(&str, &str); 6] = [
    ("problem", "path"),
    ("problem", "links"),
    ("problem", "trips"),
    ("problem", "profile"),
    ("network", "path"),
    ("dynamic", "path"),
];

/// Makes the experiment's paths absolute, so that they work from the cluster's folder too.
fn settle_paths(table: &mut Table, base: &Path) {
    for (section, key) in PATHS {
        if let Some(Value::String(path)) = table.get_mut(section).and_then(|s| s.get_mut(key)) {
            let beside = base.join(&*path);
            let found = if beside.exists() { beside } else { PathBuf::from(&*path) };
            if let Ok(whole) = found.canonicalize() {
                *path = whole.display().to_string();
            }
        }
    }
}

/// The `[node]` of node `k`.
fn file_of(k: usize, own: &Table, udp: &[u16], tcp: &[u16]) -> Result<String, Failure> {
    let mut node = Table::new();
    let text = |text: String| Value::String(text);
    node.insert("manifest".into(), text("../manifest.toml".into()));
    node.insert("listen".into(), text(format!("127.0.0.1:{}", udp[k])));
    node.insert("http".into(), text(format!("127.0.0.1:{}", tcp[k])));
    node.insert("decisions".into(), text("decisions.jsonl".into()));
    node.extend(own.clone());
    let peers = (0..udp.len()).filter(|peer| *peer != k);
    let peers: Table =
        peers.map(|peer| (format!("{NODE}{peer}"), text(format!("127.0.0.1:{}", udp[peer])))).collect();
    node.insert("peers".into(), Value::Table(peers));
    let table = Table::from_iter([("node".to_owned(), Value::Table(node))]);
    let whole = format!("{ANEW}{table}");
    Config::read(&whole, Path::new(""))?;
    Ok(whole)
}

/// Ports that are free now.
fn ports(count: usize) -> std::io::Result<(Vec<u16>, Vec<u16>)> {
    let udp = (0..count).map(|_| UdpSocket::bind("127.0.0.1:0")).collect::<Result<Vec<_>, _>>()?;
    let tcp = (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<Vec<_>, _>>()?;
    let udp = udp.iter().map(|socket| Ok(socket.local_addr()?.port())).collect::<std::io::Result<_>>()?;
    let tcp = tcp.iter().map(|socket| Ok(socket.local_addr()?.port())).collect::<std::io::Result<_>>()?;
    Ok((udp, tcp))
}
