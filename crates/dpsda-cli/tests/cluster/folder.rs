//! The folder of a cluster: one process runs its nodes, and they go when it does.

use std::process::Stdio;

use rustix::process::test_kill_process;
use serde_json::Value;

use crate::start::children;
use crate::world::{SMALL, World, until};

#[test]
fn a_cluster_that_runs_is_not_started_twice_and_its_nodes_do_not_outlive_it() {
    let world = World::new();
    world.put("e.toml", &SMALL.replace("rounds = 100", "rounds = 100000"));
    let mut up = world.command(&["cluster", "up", "e.toml", "--quiet"]);
    let mut up = up.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("a node answers", || (world.dpsda(&["cluster", "status"]).code == Some(0)).then_some(()));
    let said = world.dpsda(&["cluster", "up", "e.toml", "--drop", "0.5"]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(said.err.starts_with("error: cluster: another `dpsda cluster up` runs"), "{}", said.err);
    assert!(said.err.contains("give another --dir") && said.err.lines().count() == 1, "{}", said.err);
    assert!(!world.text("cluster/node-0/node.toml").contains("drop"), "what is there is as it was");

    let nodes = children(up.id());
    up.kill().unwrap(); // as the power goes
    up.wait().unwrap();
    until("all nodes have stopped", || {
        nodes.iter().all(|pid| test_kill_process(*pid).is_err()).then_some(())
    });
    for node in 0..3 {
        until("it stopped in order", || {
            let log = world.text(&format!("cluster/node-{node}/log.jsonl"));
            log.lines().last().is_some_and(|line| line.contains("stopping")).then_some(())
        });
    }
    world.works(&["cluster", "up", "e.toml", "--for", "0.3", "--quiet"]);
}

#[test]
fn a_cluster_that_is_stopped_early_says_as_json_how_far_it_came() {
    let world = World::new();
    world.put("e.toml", &SMALL.replace("rounds = 100", "rounds = 100000"));
    let came = |seconds: &str| -> Value {
        let said = world.works(&["cluster", "up", "e.toml", "--quiet", "--json", "--for", seconds]);
        serde_json::from_str(&said.out).unwrap()
    };
    let none = came("0");
    assert_eq!(none["done"], false, "{none}");
    let some = came("3");
    assert!(some["done"] == false && (2..10_000).contains(&some["rounds"].as_u64().unwrap()), "{some}");
    assert!(some["mean_cost"].is_f64() && some["regret_per_round"].is_f64(), "{some}");
    let said = world.works(&["cluster", "up", "e.toml", "--for", "1"]).out;
    assert!(said.contains(" rounds: mean cost ") && said.contains("regret per round "), "in words: {said}");
}

#[test]
fn a_fault_that_is_due_after_the_last_round_holds_up_nothing_and_is_named() {
    let world = World::new();
    world.put("e.toml", &SMALL.replace("rounds = 100", "rounds = 20"));
    let start = std::time::Instant::now();
    let said = world.works(&["cluster", "up", "e.toml", "--kill", "1@300", "--pause", "2@400"]);
    assert!(start.elapsed().as_secs() < 60);
    assert!(said.out.contains("20 rounds"), "{}", said.out);
    assert!(said.err.contains("node-1 was to be killed or paused at 300 s"), "{}", said.err);
}

#[test]
fn whoever_interrupts_a_cluster_sees_how_it_was() {
    let world = World::new();
    world.put("e.toml", &SMALL.replace("rounds = 100", "rounds = 100000"));
    let mut up = world.command(&["cluster", "up", "e.toml"]);
    up.stdout(Stdio::null()).stderr(Stdio::piped());
    std::os::unix::process::CommandExt::process_group(&mut up, 0);
    let up = up.spawn().unwrap();
    until("all nodes answer", || {
        let said = world.dpsda(&["cluster", "status"]);
        (said.code == Some(0) && !said.out.contains("does not answer")).then_some(())
    });
    std::thread::sleep(std::time::Duration::from_secs(1)); // it looks four times a second
    let group = rustix::process::Pid::from_raw(i32::try_from(up.id()).unwrap()).unwrap();
    rustix::process::kill_process_group(group, rustix::process::Signal::INT).unwrap(); // as Ctrl-C does
    let said = up.wait_with_output().unwrap();
    let text = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(130), "{text}");
    assert!(text.contains("running") && !text.contains("does not answer"), "{text}");
}

#[test]
fn keys_of_an_earlier_run_are_not_those_of_the_next_and_nodes_that_end_at_once_are_done() {
    let world = World::new();
    world.put("e.toml", &SMALL.replace("rounds = 100", "rounds = 20"));
    let up = ["cluster", "up", "e.toml", "--quiet", "--json"];
    let more = ["-s", "node.idle=3.5", "-s", "node.linger=0.0", "-s", "node.pace=100.0"];
    let said = world.works(&[&up[..], &more].concat()).out;
    let said: Value = serde_json::from_str(&said).unwrap();
    assert!(said["done"] == true && said["rounds"] == 20, "{said}");
    let first = world.text("cluster/node-1/node.toml");
    world.works(&up);
    let second = world.text("cluster/node-1/node.toml");
    assert!(first.contains("idle") && first.contains("linger"), "{first}");
    assert!(!second.contains("idle") && !second.contains("linger"), "{second}");
    let listen = |text: &str| text.lines().find(|line| line.starts_with("listen")).map(str::to_owned);
    let said = world.dpsda(&[&up[..], &["-s", "node.noise=seed"]].concat());
    assert_eq!(said.code, Some(1), "noise of another kind: {}", said.err);
    assert!(said.err.contains("node.noise") && said.err.contains("its own folder"), "{}", said.err);
    world.works(&up);
    assert!(listen(&first).is_some() && listen(&first) == listen(&second), "{second}");
}
