//! Clusters that a version without rules stopped half way: this version goes on with them as that one did.

use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use rustix::process::Signal;
use serde_json::Value;

use crate::world::{Node, World};

/// How many decisions there are when all rounds are done: those of rounds 0 to 40.
const DECISIONS: usize = 41;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../dpsda-node/tests/fixtures/rules-1").join(name)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}

/// A copy of a cluster, on ports that are free, none of its nodes started.
fn laid(world: &World, from: &Path) -> Vec<Node> {
    world.put("manifest.toml", &text(&from.join("manifest.toml")));
    let names: Vec<String> = (0..3).map(|k| format!("node-{k}")).collect();
    for name in &names {
        let (from, to) = (from.join(name), world.path(name));
        fs::create_dir_all(to.join("store")).unwrap();
        for file in ["node.key", "decisions.jsonl", "store/lock"] {
            fs::copy(from.join(file), to.join(file)).unwrap();
        }
        fs::set_permissions(to.join("node.key"), Permissions::from_mode(0o600)).unwrap();
        let mut store = Vec::new();
        GzDecoder::new(File::open(from.join("store/releases.redb.gz")).unwrap())
            .read_to_end(&mut store)
            .unwrap();
        fs::write(to.join("store/releases.redb"), store).unwrap();
    }
    // Its own keys, except those that say where it is.
    let own = text(&from.join("node-0/node.toml"));
    let placed = ["[", "manifest", "listen", "http", "decisions", "node-"];
    let own: Vec<&str> = own.lines().filter(|line| !placed.iter().any(|key| line.starts_with(key))).collect();
    world.place(&names, &own.join("\n"))
}

/// Its ledgers say what they said before. It runs to the end, and its ledgers then say what that version's would.
fn goes_on(name: &str, same_noise: bool) {
    let (world, from) = (World::new(), fixture(name));
    let mut nodes = laid(&world, &from);
    let shown = world.works(&["manifest", "show", "manifest.toml"]).out;
    assert!(shown.matches("signed").count() >= 3 && !shown.contains("NOT signed"), "{shown}");
    for node in &nodes {
        let before = json(&from.join(format!("expected/{}.ledger.json", node.name)));
        assert_eq!(world.ledger(node), before, "{}", node.name);
    }
    nodes.iter_mut().for_each(Node::start);
    nodes.iter().for_each(|node| node.until_round(40));
    for node in &mut nodes {
        crate::world::until("all is decided", || (node.decisions().len() >= DECISIONS).then_some(()));
        assert!(node.stop(Signal::TERM).0.success(), "{}", node.name);
        let rounds: Vec<_> = node.decisions().iter().map(|d| (d.epoch, d.round)).collect();
        assert_eq!(rounds, (0..DECISIONS as u64).map(|t| (0, t)).collect::<Vec<_>>());
        let (book, end) = (world.ledger(node), json(&from.join(format!("expected/{}.end.json", node.name))));
        assert_eq!(book["releases"], end["releases"]);
        for what in ["event", "lifetime"] {
            assert_eq!(book["spent"][what]["charged"], end["charged"][what], "{}: {what}", node.name);
        }
        if same_noise {
            let expected = from.join(format!("expected/{}.decisions.jsonl", node.name));
            assert_eq!(text(&node.folder.join("decisions.jsonl")), text(&expected), "{}", node.name);
        }
    }
}

#[test]
fn relay_in_step_goes_on_to_the_last_bit() {
    goes_on("relay", true);
}

#[test]
fn push_sum_goes_on_to_the_last_bit() {
    goes_on("gossip", true);
}

#[test]
fn nobody_waits_and_secret_noise_is_drawn_anew() {
    goes_on("free", false);
}

#[test]
fn a_file_without_rules_is_that_of_a_cluster_of_before_and_one_of_rules_2_is_not() {
    let (world, from) = (World::new(), fixture("free"));
    let nodes = laid(&world, &from);
    world.put("e.toml", &text(&from.join("experiment.toml")));
    let up = ["cluster", "up", "e.toml", "--dir", ".", "--quiet"];
    let said = world.dpsda(&[&up[..], &["-s", "rules=2"]].concat());
    assert!(said.code == Some(2) && said.err.contains("experiment.rules: 2 here, 1 there"), "{}", said.err);
    world.works(&up);
    world.works(&[&up[..], &["-s", "rules=1"]].concat());
    nodes.iter().for_each(|node| assert_eq!(world.ledger(node)["releases"], 40, "{}", node.name));
}
