//! Mistakes: exit code 2, and a message with the key, the value and what to do about it.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;

use crate::world::{Node, SMALL, World, until};

/// A node's file with something wrong in it.
fn node(world: &World, node: &Node, own: &str) -> (Option<i32>, String) {
    let path = format!("{}/node.toml", node.name);
    let file = world.text(&path);
    let keys: Vec<&str> =
        own.lines().filter_map(|line| line.split_once('=')).map(|(key, _)| key.trim()).collect();
    let kept = file.lines().filter(|line| !keys.iter().any(|key| line.starts_with(&format!("{key} ="))));
    let kept: String = kept.map(|line| format!("{line}\n")).collect();
    world.put(&path, &kept.replace("[node]\n", &format!("[node]\n{own}\n")));
    let said = world.dpsda(&["node", &path]);
    world.put(&path, &file);
    (said.code, said.err)
}

fn told(what: &str, (code, err): (Option<i32>, String), words: &[&str]) {
    assert_eq!(code, Some(2), "{what}: {err}");
    for words in words {
        assert!(err.contains(words), "{what}: {words:?} is not in\n{err}");
    }
    assert!(!err.contains("panicked"), "{err}");
}

#[test]
fn mistakes_in_a_nodes_file_are_named_with_a_remedy() {
    let world = World::new();
    let nodes = world.nodes(SMALL, "");
    let one = &nodes[0];
    let (udp, tcp) = (UdpSocket::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let (udp, tcp) =
        (udp.local_addr().map(|at| (at, udp)).unwrap(), tcp.local_addr().map(|at| (at, tcp)).unwrap());
    let listen = format!("listen = \"{}\"", udp.0);
    told(
        "the port for peers is taken",
        node(&world, one, &listen),
        &["node.listen", &udp.0.to_string(), "free"],
    );
    let http = format!("http = \"{}\"", tcp.0);
    told(
        "the port for its operator is taken",
        node(&world, one, &http),
        &["node.http", &tcp.0.to_string(), "free"],
    );
    let before = world.names();
    for (own, words) in [
        ("manifest = \"none.toml\"", &["none.toml", "dpsda manifest make"][..]),
        ("key = \"none.key\"", &["none.key", "dpsda node init"]),
        ("http = \"0.0.0.0:80\"", &["http", "0.0.0.0:80", "SSH tunnel"]),
        ("listen = \"nowhere\"", &["node.listen", "nowhere", "192.0.2.7:4701"]),
        ("pace = -1", &["node.pace", "-1", "more than 0"]),
        ("wait = \"long\"", &["node.wait", "long", "number"]),
        ("idle = 100", &["node.idle", "100", "seconds, from"]),
        ("idle = 0", &["node.idle = 0:", "seconds, from 0.1 to 15"]),
        ("drop = 1.5", &["node.drop", "1.5", "share"]),
        ("rounds = \"fast\"", &["node.rounds", "fast", "free, lock-step"]),
        ("stream = \"kafka\"", &["node.stream", "kafka", "data, stdin, http"]),
        ("noise = \"none\"", &["node.noise", "none", "system, seed"]),
        ("relays = [\"not a url\"]", &["node.relays", "not a url", "http"]),
        ("piers = 1", &["piers", "peers"]),
        ("decisions = \"node.key\"", &["node.key", "not a log of decisions"]),
        ("store = \"../e.toml\"", &["node.store", "e.toml", "folder"]),
        ("store = \".\"", &["node.store", "no store is here, but", "a folder of its own"]),
        ("decisions = \"none/such/file\"", &["decisions", "none/such/file"]),
    ] {
        told(own, node(&world, one, own), words);
    }
    assert_eq!(world.names(), before, "nothing was left behind");
    let path = format!("{}/node.toml", one.name);
    let file = world.text(&path);
    world.put(&path, &file.replace("node-1 =", "node-9 ="));
    let said = world.dpsda(&["node", &path]);
    told("a peer nobody knows", (said.code, said.err), &["node.peers", "node-9", "node-1"]);
    world.put(&path, &format!("{file}\n[privacy]\nepsilon = 9.0\n"));
    let said = world.dpsda(&["node", &path]);
    told(
        "another experiment beside it",
        (said.code, said.err),
        &["is not the manifest's", "epsilon: 9.0 here, 1.0 there"],
    );
    let said = world.dpsda(&["node", "none.toml"]);
    told("no file", (said.code, said.err), &["none.toml", "dpsda node init"]);
    let said = world.dpsda(&["node", "manifest.toml"]);
    told(
        "a manifest",
        (said.code, said.err),
        &["manifest.toml", "this is a manifest", "dpsda node node.toml"],
    );
    let said = world.dpsda(&["node", &one.name]);
    told("a folder", (said.code, said.err), &["is a folder: give its node.toml", "node-0/node.toml"]);
    for name in ["two words", "a=b"] {
        let said = world.dpsda(&["node", "init", name]);
        told(name, (said.code, said.err), &[name, "no spaces and no =", "--name"]);
        assert!(!world.path(name).exists(), "nothing is left behind");
    }
    let said = world.dpsda(&["node", "init", "e.toml"]);
    told("a file to be a folder", (said.code, said.err), &["e.toml", "is a file", "dpsda node init alice"]);
}

#[test]
fn tables_that_a_nodes_file_does_not_have_are_named() {
    let world = World::new();
    let nodes = world.nodes(SMALL, "");
    let path = format!("{}/node.toml", nodes[0].name);
    let file = world.text(&path);
    for (from, to, words) in [
        ("[node.peers]", "[peers]", "unknown table `peers`: did you mean `node.peers`?"),
        ("[node.peers]", "[nodes]", "unknown table `nodes`: did you mean `node.peers`?"),
        ("[node]", "[nodes]", "unknown table `nodes`: did you mean `node`?"),
        ("[node]", "listen = \"127.0.0.1:0\"\n[node]", "unknown key `listen`: did you mean `node.listen`?"),
        ("[node]", "[other]\n[node]", "unknown table `other`: the keys of a node stand in [node]"),
    ] {
        world.put(&path, &file.replacen(from, to, 1));
        let said = world.dpsda(&["node", &path]);
        assert!(said.err.lines().count() == 1, "{}", said.err);
        told(to, (said.code, said.err), &["node-0/node.toml", words]);
    }
}

/// The likeliest slip: nothing is refused, but no peer is reached.
#[test]
fn addresses_that_lead_nowhere_or_to_another_member_are_named_in_log_and_status() {
    let world = World::new();
    let mut nodes = world.nodes(SMALL, "");
    let path = format!("{}/node.toml", nodes[0].name);
    let file = world.text(&path);
    let address =
        |name: &str| file.lines().find_map(|line| line.strip_prefix(&format!("{name} = "))).unwrap();
    let wrong = file.replace(address("node-1"), "TO").replace(address("node-2"), "\"127.0.0.1:9\"");
    world.put(&path, &wrong.replace("TO", address("node-2")));
    let other = format!("{}/node.toml", nodes[2].name);
    let (alone, _) =
        world.text(&other).split_once("[node.peers]").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    world.put(&other, &alone);
    nodes[0].start();
    nodes[2].start();
    until("both are named", || {
        let log = nodes[0].log();
        let named = |peer: &str, why: &str| {
            log.lines().any(|line| line.contains("not reached") && line.contains(peer) && line.contains(why))
        };
        (named("node-1", "has another key") && named("node-2", "nobody answers")).then_some(())
    });
    let peers = nodes[0].now()["peers"].clone();
    assert_eq!(
        (&peers[0]["unreached"], &peers[1]["unreached"]),
        (&"stranger".into(), &"silent".into()),
        "{peers}"
    );
    assert!(peers[0]["tried"].as_u64() > Some(0), "{peers}");
}

#[test]
fn a_store_that_is_open_or_anothers_is_refused() {
    let world = World::new();
    let mut nodes = world.nodes(SMALL, "");
    nodes[0].start();
    nodes[0].until_round(1);
    let elsewhere = "listen = \"127.0.0.1:0\"\nhttp = \"127.0.0.1:0\"";
    told("open", node(&world, &nodes[0], elsewhere), &["node-0/store", "another process", "stop that node"]);
    nodes[0].kill();
    let borrowed = node(&world, &nodes[1], "store = \"../node-0/store\"");
    told("of another key", borrowed, &["node-0/store", "key", "give every run its own folder"]);
    let text = world.text("manifest.toml");
    world.put("manifest.toml", &text.replace("epoch = 1", "epoch = 2"));
    for name in ["node-0", "node-1", "node-2"] {
        world.works(&["manifest", "sign", "manifest.toml", "--key", &format!("{name}/node.key")]);
    }
    told("of another manifest", node(&world, &nodes[0], ""), &["manifest", "give every run its own folder"]);
}

#[test]
fn a_key_that_others_may_read_is_refused() {
    let world = World::new();
    let nodes = world.nodes(SMALL, "");
    for (mode, shown) in [(0o640, "640"), (0o604, "604"), (0o602, "602")] {
        fs::set_permissions(world.path("node-0/node.key"), fs::Permissions::from_mode(mode)).unwrap();
        told(shown, node(&world, &nodes[0], ""), &["node-0/node.key", shown, "chmod 600"]);
        let said = world.dpsda(&["manifest", "sign", "manifest.toml", "--key", "node-0/node.key"]);
        told(shown, (said.code, said.err), &["node-0/node.key", shown, "chmod 600"]);
    }
}

#[test]
fn experiments_that_hosts_cannot_run_are_refused_with_a_remedy() {
    let world = World::new();
    let clip = "clip = 1.0\n";
    let averages = "name = \"dpsda-c\"\n[algorithm.dpsda-c]\nlinks = \"running-sums\"\n";
    let private = SMALL.replace("name = \"dpsda-r\"\n", averages);
    let private = private.replace("epsilon = 1.0", "level = 1.0").replace("\"example\"", "\"round\"");
    let private = &(private + "arithmetic = \"grid\"\ndecide = \"private\"\n");
    for (what, from, to, words) in [
        (
            "a sweep",
            "epsilon = 1.0",
            "epsilon = [1.0, 2.0]",
            &["privacy.epsilon", "one value, not a sweep"][..],
        ),
        (
            "idealised noise",
            "discrete-gaussian",
            "gaussian",
            &["privacy.mechanism", "\"gaussian\"", "discrete-gaussian"],
        ),
        ("no clip", clip, "", &["privacy.clip"]),
        ("another algorithm", "\"dpsda-r\"", "\"dpcda\"", &["dpcda"]),
        (
            "naive links",
            "name = \"dpsda-r\"\n",
            "name = \"dpsda-c\"\n",
            &["algorithm.dpsda-c.links", "naive", "running-sums"],
        ),
        (
            "sums that are no whole units",
            "name = \"dpsda-r\"\n",
            averages,
            &["privacy.arithmetic", "real", "grid"],
        ),
        ("private decisions", SMALL, private, &["privacy.decide", "private", "published"]),
    ] {
        let text = SMALL.replace(from, to);
        assert_ne!(text, SMALL, "{what}");
        world.put("e.toml", &text);
        let said = world.dpsda(&["cluster", "up", "e.toml", "--for", "0"]);
        told(what, (said.code, said.err), words);
        assert!(!world.path("cluster").exists(), "{what}: nothing is left behind");
    }
}

#[test]
fn command_lines_that_make_no_sense_are_refused_with_a_remedy() {
    let world = World::new();
    let seven = SMALL.replace("nodes = 3", "nodes = 7").replace("features = 6", "features = 14");
    world.put("e.toml", &seven);
    for (args, words) in [
        (&["--kill", "9@1"][..], &["--kill 9@1", "0 to 6"][..]),
        (&["--pause", "7@1+1"], &["--pause 7@1", "0 to 6"]),
        (&["--kill", "x"], &["--kill", "NODE@AT"]),
        (&["--drop", "2"], &["node.drop", "2", "share"]),
        (&["-s", "node.pace=0"], &["node.pace", "more than 0"]),
        (&["-s", "node.lissten=1"], &["lissten", "listen"]),
        (&["--for", "soon"], &["--for", "soon"]),
        (&["--dir", "e.toml"], &["--dir e.toml", "must be a folder"]),
        (
            &["-s", "node.listen=127.0.0.1:4701"],
            &["node.listen", "127.0.0.1:4701", "each node", "leave it out"],
        ),
        (&["-s", "node.peers={}"], &["node.peers", "each node", "leave it out"]),
    ] {
        let said = world.dpsda(&[&["cluster", "up", "e.toml"], args].concat());
        told(&args.join(" "), (said.code, said.err), words);
        assert!(!world.path("cluster").exists(), "{args:?}: nothing is left behind");
    }
    let said = world.dpsda(&["cluster", "status"]);
    told("no cluster", (said.code, said.err), &["cluster/manifest.toml", "dpsda cluster up"]);
    world.works(&["cluster", "up", "e.toml", "--for", "0.1", "--quiet"]);
    let said = world.dpsda(&["cluster", "up", "e.toml", "-s", "privacy.epsilon=3.0"]);
    told(
        "another experiment",
        (said.code, said.err),
        &["another experiment", "--dir", "epsilon: 3.0 here, 1.0 there"],
    );
    let said = world.dpsda(&["cluster", "up", "e.toml", "--drop", "7"]);
    told(
        "a share that is none, of a cluster that is there",
        (said.code, said.err),
        &["node.drop", "7", "share"],
    );
    let said = world.dpsda(&["cluster", "status"]);
    assert!(said.out.contains("node-6"), "what is there is as it was");
    assert_eq!(said.code, Some(1), "and nobody answers");
    let said = world.dpsda(&["cluster", "up", "e.toml", "--dir", "."]);
    told("a folder with other things", (said.code, said.err), &["is not empty", "--dir"]);
}
