//! How soon a node is useful, and how it ends.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Signal, test_kill_process};
use serde_json::Value;

use crate::world::{Node, SMALL, World, ended, send, until};

#[test]
fn a_node_decides_soon_after_it_was_started() {
    let world = World::alone();
    let mut nodes = world.nodes(SMALL, "");
    for again in [false, true] {
        let start = Instant::now();
        nodes[0].start();
        let decided = until("it decides", || nodes[0].get("/decision").filter(|answer| answer.0 == 200));
        let took = start.elapsed();
        println!(
            "the first decision after {} ms{}",
            took.as_millis(),
            if again { ", from a store" } else { "" }
        );
        // Under a second where nothing else runs.
        assert!(took < Duration::from_secs(3), "{took:?}: {}", decided.1);
        nodes[0].until_round(10);
        nodes[0].kill();
    }
}

#[test]
fn a_node_that_is_asked_to_stop_ends_soon_and_well() {
    let world = World::alone();
    let mut nodes = world.nodes(&SMALL.replace("rounds = 100", "rounds = 5000"), "pace = 200.0");
    for signal in [Signal::TERM, Signal::INT] {
        nodes.iter_mut().for_each(Node::start);
        nodes.iter().for_each(|node| until("it runs", || (node.now()["health"] == "running").then_some(())));
        let round = nodes[0].round().unwrap();
        nodes[0].until_round(round + 50);
        for node in &mut nodes {
            let (status, took) = node.stop(signal);
            println!("{} ended {} ms after {signal:?}", node.name, took.as_millis());
            assert_eq!(status.code(), Some(0), "{signal:?}");
            // Under a second where nothing else runs. After five seconds no node would wait any longer.
            assert!(took < Duration::from_secs(4), "{signal:?}: {took:?}");
            let releases = world.ledger(node)["releases"].as_u64().unwrap();
            assert_eq!(node.decisions().last().unwrap().round, releases, "what was released is decided from");
        }
    }
}

#[test]
fn a_cluster_says_how_its_nodes_are_and_leaves_none_behind_when_it_is_interrupted() {
    let world = World::new();
    world.put("e.toml", &SMALL.replace("rounds = 100", "rounds = 100000"));
    for signal in [Signal::INT, Signal::TERM] {
        let mut up = world.command(&["cluster", "up", "e.toml"]);
        let mut up = up.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let status = || -> Vec<Value> {
            let said = world.dpsda(&["cluster", "status", "--json"]);
            serde_json::from_str(&said.out).unwrap_or_default()
        };
        let all = until("all are there", || {
            let ready =
                |node: &Value| node["answers"] == true && node["status"]["now"]["health"] == "running";
            Some(status()).filter(|all| all.len() == 3 && all.iter().all(ready))
        });
        assert_eq!(all[2]["name"], "node-2");
        let table = world.works(&["cluster", "status"]).out;
        assert!(["node-0", "node-1", "node-2", "running"].iter().all(|word| table.contains(word)), "{table}");
        let children = children(up.id());
        assert_eq!(children.len(), if cfg!(target_os = "linux") { 3 } else { 0 });
        send(&up, signal);
        let asked = Instant::now();
        assert_eq!(ended(&mut up, "the cluster").code(), Some(130), "{signal:?}");
        println!("a cluster of 3 ended {} ms after {signal:?}", asked.elapsed().as_millis());
        assert!(children.iter().all(|pid| test_kill_process(*pid).is_err()), "none is left");
        let said = world.dpsda(&["cluster", "status"]);
        assert!(said.code == Some(1) && said.out.contains("does not answer"), "{}", said.out);
        assert!(said.err.contains("cluster: no node answers (start them: dpsda cluster up"), "{}", said.err);
        for node in 0..3 {
            world.works(&["ledger", &format!("cluster/node-{node}/store")]);
            let log = world.text(&format!("cluster/node-{node}/log.jsonl"));
            assert!(log.lines().last().unwrap().contains("stopping"), "{log}");
        }
    }
}

/// Only Linux tells which processes those are.
#[cfg(target_os = "linux")]
#[test]
fn a_node_of_a_cluster_may_be_killed_and_the_others_go_on() {
    let world = World::new();
    let experiment =
        format!("{SMALL}budget = {{ lifetime = 10.0 }}\n").replace("rounds = 100", "rounds = 100000");
    world.put("e.toml", &experiment);
    let mut up = world.command(&["cluster", "up", "e.toml"]);
    let mut up = up.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let status = || -> Vec<Value> {
        let said = world.dpsda(&["cluster", "status", "--json"]);
        serde_json::from_str(&said.out).unwrap_or_default()
    };
    let answers = |node: &Value| node["answers"] == true;
    until("all are there", || (status().iter().filter(|node| answers(node)).count() == 3).then_some(()));
    rustix::process::kill_process(children(up.id())[1], Signal::KILL).unwrap();
    until("one is gone", || (status().iter().filter(|node| answers(node)).count() == 2).then_some(()));
    std::thread::sleep(Duration::from_secs(1)); // several looks at the nodes
    assert!(up.try_wait().unwrap().is_none(), "the cluster runs on");
    assert_eq!(status().iter().filter(|node| answers(node)).count(), 2);
    send(&up, Signal::INT);
    assert_eq!(ended(&mut up, "the cluster").code(), Some(130));
    let said = std::io::read_to_string(up.stderr.take().unwrap()).unwrap();
    assert!(said.contains("was killed (signal 9); the others go on (start it again: dpsda node "), "{said}");
    assert!(said.contains("warning: budget.lifetime = 10 is spent after"), "{said}");
}

/// The processes that a process has started, where the system tells.
pub(crate) fn children(parent: u32) -> Vec<rustix::process::Pid> {
    let text = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    text.split_whitespace().map(|pid| rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap()).collect()
}
