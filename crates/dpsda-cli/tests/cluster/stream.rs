//! Costs that come while a node runs, by standard input and by HTTP.

use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use dpsda_node::board::Decision;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::world::{Node, World, decision, until};

const STREAM: &str = r#"
title = "stream"
rounds = 60
[problem]
loss = "logistic"
data = "stream"
features = 6
batch = 2
[set]
kind = "box"
lower = -5.0
upper = 5.0
[network]
nodes = 3
graph = "ring"
[algorithm]
name = "dpsda-r"
step = 1.0
[privacy]
mechanism = "discrete-gaussian"
epsilon = 1.0
delta = 1e-5
adjacency = "example"
clip = 1.0
"#;

/// The first of three. The others are away, and it does not wait for them.
fn alone(world: &World, own: &str) -> Node {
    world.nodes(STREAM, &format!("ask = 0.1\n{own}")).swap_remove(0)
}

#[test]
fn a_stream_comes_from_somewhere() {
    let world = World::new();
    let node = alone(&world, "stream = \"data\"");
    let said = world.dpsda(&["node", &format!("{}/node.toml", node.name)]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    for words in ["node.stream = \"data\"", "\"stdin\" or \"http\""] {
        assert!(said.err.contains(words), "{}", said.err);
    }
    for more in [&[][..], &["-s", "node.stream=stdin"]] {
        let said = world.dpsda(&[&["cluster", "up", "e.toml"], more].concat());
        assert_eq!(said.code, Some(2), "{}", said.err);
        assert!(said.err.contains("node.stream = ") && said.err.contains("node.stream=http"), "{}", said.err);
        assert!(!world.path("cluster").exists(), "nothing is left behind");
    }
    world.works(&["cluster", "up", "e.toml", "--quiet", "--json", "-s", "node.stream=http", "--for", "1"]);
}

#[test]
fn costs_on_standard_input_are_learned_from_in_turn_and_what_is_wrong_with_them_is_counted() {
    let world = World::new();
    let mut node = alone(&world, "stream = \"stdin\"\ndecisions = \"-\"");
    node.start_with(Stdio::piped(), Stdio::piped());
    let child = node.child.as_mut().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for line in [
        r#"{"x": [[1, 0, 0, 0, 0, 0]], "y": [1]}"#, // 0
        r#"{"t": 1, "x": [{"5": 0.5}, {"0": 1, "3": 2}], "y": [1, -1]}"#, // 1
        r#"{"t": 1, "x": [[1, 0, 0, 0, 0, 0]], "y": [1]}"#, // again
        r#"{"t": 5, "x": [[0, 0, 1, 0, 0, 0]], "y": [-1]}"#, // 2, 3 and 4 are missing
        r#"{"t": 3, "x": [[0, 0, 1, 0, 0, 0]], "y": [-1]}"#, // too late
        "no JSON",                                  // malformed
        r#"{"x": [[1, 0, 0]], "y": [1]}"#,          // too short
        r#"{"x": [[0, 0, 0, 0, 0, 1]], "y": [4711]}"#, // no class
        r#"{"x": [[1,0,0,0,0,0],[1,0,0,0,0,0],[1,0,0,0,0,0]], "y": [1, 1, 1]}"#, // more than the batch
        r#"{"x": [[1, 0, 0, 0, 0, 0]], "y": [1], "z": 1}"#, // an unknown key
        "{}",                                       // 6: no data, and noise all the same
        r#"{"t": 60, "x": [[1, 0, 0, 0, 0, 0]], "y": [1]}"#, // there is no such round
    ] {
        writeln!(input, "{line}").unwrap();
    }
    input.write_all(br#"{"t": 7, "x": [[1, 0, 0, 0, 0, 0]], "y": [1]}"#).unwrap(); // the last need not end its line
    drop(input);
    let stream =
        until("the stream has ended", || Some(node.now()["stream"].clone()).filter(|s| s["ended"] == true));
    let counts = json!({ "taken": 5, "unused": 0, "gaps": 3, "duplicates": 2, "early": 0, "stale": 0, "over": 1, "malformed": 5, "ended": true });
    assert_eq!(stream, counts);
    let now = until("it is finished", || Some(node.now()).filter(|now| now["health"] == "finished"));
    assert_eq!((&now["round"], &now["releases"]), (&json!(8), &json!(5)));
    assert!(node.stop(Signal::TERM).0.success());
    let mut text = String::new();
    output.read_to_string(&mut text).unwrap();
    let decisions: Vec<Decision> = text.lines().map(decision).collect();
    let rounds: Vec<u64> = decisions.iter().map(|decision| decision.round).collect();
    assert_eq!(rounds, [0, 1, 2, 5, 6, 7, 8]);
    assert!(decisions.iter().all(|decision| decision.block.len() == 2));
    let log = node.log();
    for words in [
        "sample 1 has 3 numbers, expected 6",
        "label 1 is neither -1 nor 1",
        "\"line\":6",
        "a key other than",
    ] {
        assert!(log.contains(words), "{words}: {log}");
    }
    assert!(!log.contains("4711"), "what a cost says is nobody's business");
    assert_eq!(world.ledger(&node)["releases"], 5);
}

#[test]
fn costs_that_come_all_at_once_are_taken_at_the_pace() {
    let world = World::new();
    let mut node = alone(&world, "stream = \"stdin\"\npace = 5.0");
    let start = Instant::now();
    node.start_with(Stdio::piped(), Stdio::null());
    let mut input = node.child.as_mut().unwrap().stdin.take().unwrap();
    input.write_all("{}\n".repeat(8).as_bytes()).unwrap();
    drop(input);
    node.until_round(8);
    assert!(
        start.elapsed() >= Duration::from_millis(1200),
        "six fifths of a second lie between: {:?}",
        start.elapsed()
    );
    assert!(node.stop(Signal::TERM).0.success());
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_cost_that_was_posted_is_durable_when_it_is_answered() {
    let world = World::new();
    let mut node = alone(&world, "stream = \"http\"");
    node.start();
    until("it answers", || node.get("/healthz").filter(|answer| answer.0 == 200));
    for t in 0..5 {
        let (code, text) = node.post(&format!("{{\"t\": {t}, \"x\": [[1, 0, 0, 0, 0, 0]], \"y\": [1]}}\n"));
        assert_eq!((code, lines(&text)), (200, vec![json!({ "line": 1, "t": t, "taken": t })]));
        node.kill();
        assert_eq!(world.ledger(&node)["releases"], t + 1, "it was answered, so it is on the disk");
        node.start();
        until("it answers", || node.get("/healthz").filter(|answer| answer.0 == 200));
        assert_eq!(node.round(), Some(t + 1));
    }
    // All of a request is answered line by line; the next is not taken before the last is durable.
    let good = "{\"x\": [[1, 0, 0, 0, 0, 0]], \"y\": [1]}\n";
    let (code, text) = node.post(&good.repeat(20));
    let taken: Vec<u64> = lines(&text).iter().map(|line| line["taken"].as_u64().unwrap()).collect();
    assert_eq!((code, taken), (200, (5..25).collect()));
    assert_eq!(world.ledger(&node)["releases"], 25);
    let (code, text) = node.post("{\"t\": 3, \"x\": [[1, 0, 0, 0, 0, 0]], \"y\": [1]}\n");
    assert_eq!((code, lines(&text)), (409, vec![json!({ "line": 1, "duplicate": 3, "next": 25 })]));
    let (code, text) = node.post("{\"t\": 28}\n");
    let skipped = json!({ "line": 1, "t": 28, "taken": 28, "skipped": 3 });
    assert_eq!((code, lines(&text)), (200, vec![skipped]), "whoever leaves rounds out is told");
    for (line, words) in [
        ("{\"x\": [[1, 0]], \"y\": [1]}", "sample 1 has 2 numbers, expected 6"),
        ("{\"x\": [[1, 0, 0, 0, 0, 0]], \"y\": [2]}", "label 1 is neither -1 nor 1"),
        ("{\"x\": [[1, 0, 0, 0, 0, 0]]}", "every sample has one label"),
        ("{\"t\": -1}", "a whole number from 0 on"),
    ] {
        let (code, text) = node.post(line);
        let malformed = lines(&text)[0]["malformed"].as_str().unwrap().to_owned();
        assert!(code == 400 && malformed.contains(words), "{line}: {code} {malformed}");
    }
    let stream = node.now()["stream"].clone();
    assert_eq!(
        stream,
        json!({ "taken": 21, "unused": 0, "gaps": 3, "duplicates": 1, "early": 0, "stale": 0, "over": 0, "malformed": 4, "ended": false })
    );
    let (code, text) = node.post(&good.repeat(36));
    assert_eq!(code, 409, "the last of them comes after the last round: {text}");
    assert_eq!(lines(&text)[35], json!({ "line": 36, "over": true }));
    assert_eq!(node.round(), Some(60));
    assert!(node.stop(Signal::INT).0.success());
}
