//! A program in another language drives five nodes with a cost of its own. Program and nodes are killed meanwhile.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::households::{
    AGENTS, BUILT_IN, EXTERNAL, IN_STEP, Program, ROUNDS, experiment, finish, five, rows,
};
use crate::world::{Node, World, ended, until};

/// Every answer names the round that was meant, and no round of a node was taken twice.
fn each_once(program: &Program) -> usize {
    let (said, mut duplicates) = (program.said(), 0);
    for name in AGENTS {
        let own: Vec<&Value> = said.iter().filter(|one| one["node"] == name).collect();
        let taken: Vec<u64> = own.iter().filter_map(|one| one["taken"].as_u64()).collect();
        assert!(taken.is_sorted_by(|a, b| a < b), "{name}: {taken:?}");
        assert!(own.iter().all(|one| one["taken"].is_null() || one["taken"] == one["t"]), "{name}");
        assert!(own.iter().all(|one| one["early"].is_null()), "{name}: no gradient before its estimate");
        duplicates += own.iter().filter(|one| one["duplicate"].is_u64()).count();
        // The answer may be lost with the program or the node, the release may not.
        assert!(taken.len() + 10 >= ROUNDS, "{name}: {} answers", taken.len());
    }
    duplicates
}

#[test]
fn in_step_a_program_that_is_killed_decides_what_the_built_in_cost_decides_to_the_bit() {
    let built_in = {
        let world = World::new();
        let mut nodes = five(&world, BUILT_IN, &format!("{IN_STEP}stream = \"data\""));
        let decided = finish(&world, &mut nodes);
        world.works(&["run", "e.toml", "--out", "o", "--quiet"]);
        assert_eq!(simulated(&world), together(&decided), "nodes and simulator");
        decided
    };
    let world = World::new();
    let mut nodes = five(&world, EXTERNAL, &format!("{IN_STEP}stream = \"http\""));
    let mut program = Program::start(&world, &nodes);
    nodes[1].until_round(10);
    nodes[1].kill();
    nodes[1].start();
    nodes[3].until_round(20);
    program.restart();
    nodes[3].until_round(30);
    nodes[3].kill(); // both at once
    program.restart();
    nodes[3].start();
    let decided = finish(&world, &mut nodes);
    let duplicates = each_once(&program);
    assert_eq!(decided, built_in);
    println!("{ROUNDS} rounds to the bit, {duplicates} duplicates");
}

#[test]
fn with_free_rounds_every_gradient_is_used_once_through_kills_of_nodes_and_program() {
    let world = World::new();
    let mut nodes = five(&world, EXTERNAL, "stream = \"http\"\nask = 0.05\npace = 20.0");
    let mut program = Program::start(&world, &nodes);
    for round in [5, 12, 20, 33] {
        nodes[2].until_round(round);
        nodes[2].kill();
        nodes[2].start();
        nodes[0].until_round(round + 3);
        program.restart();
    }
    let decided = finish(&world, &mut nodes);
    each_once(&program);
    let last = decided.iter().flat_map(|node| node.last().unwrap());
    let sum: f64 = last.step_by(2).map(|bits| f64::from_bits(*bits)).sum();
    assert!((1.0..8.0).contains(&sum), "together they follow a reference near 4: {sum}");
}

#[test]
fn in_step_a_program_goes_on_when_the_budget_is_spent() {
    let world = World::new();
    world.put("rows.csv", &rows());
    let short = experiment(EXTERNAL) + "budget = { lifetime = 200.0 }\n";
    // Long waits: if one node stood still, the others would too.
    let own = "rounds = \"lock-step\"\nwait = 60.0\nidle = 15.0\nask = 0.0\nstream = \"http\"";
    let mut nodes = world.nodes(&short, own);
    nodes.iter_mut().for_each(Node::start);
    let mut program = Program::start(&world, &nodes);
    for node in &mut nodes {
        node.until_round(ROUNDS as u64);
        let now = node.now();
        assert_eq!((&now["health"], &now["late"]), (&"exhausted".into(), &0.into()), "{}", node.name);
        let releases = now["releases"].as_u64().unwrap();
        assert!((5..ROUNDS as u64 - 5).contains(&releases), "{}: {releases}", node.name);
        let spent = ROUNDS as u64 - releases;
        assert_eq!(now["stream"]["unused"], spent, "{}", node.name);
    }
    assert!(ended(&mut program.child, "the program").success());
    let said = program.said();
    for name in AGENTS {
        let own = || said.iter().filter(|one| one["node"] == name);
        let (taken, spent) = (
            own().filter(|one| one["taken"].is_u64()).count(),
            own().filter(|one| one["spent"] == true).count(),
        );
        assert_eq!(taken + spent, ROUNDS, "{name}: {taken} taken, {spent} spent");
    }
}

/// x(t) of every round of the simulator, as bits.
fn simulated(world: &World) -> Vec<Vec<u64>> {
    let text = world.text("o/decisions.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let number = |x: &str| x.parse::<f64>().unwrap().to_bits();
    reader.records().map(|row| row.unwrap().iter().skip(3).map(number).collect()).collect()
}

/// x(t) of every round that the simulator has too: the blocks of all nodes.
fn together(decided: &[Vec<Vec<u64>>]) -> Vec<Vec<u64>> {
    (0..ROUNDS).map(|t| decided.iter().flat_map(|node| node[t].clone()).collect()).collect()
}

#[test]
fn a_program_is_told_what_is_wrong_with_its_lines() {
    let world = World::new();
    let mut nodes = five(&world, EXTERNAL, "stream = \"http\"\nask = 0.05");
    let node = &nodes[0];
    node.until_round(0);
    let view = until("it has an estimate", || node.get("/estimate").filter(|answer| answer.0 == 200)).1;
    let view: Value = serde_json::from_str(&view).unwrap();
    assert_eq!((&view["t"], &view["rounds"]), (&0.into(), &ROUNDS.into()));
    assert_eq!(view["block"], json!([0, 2]));
    assert_eq!(view["estimate"].as_array().unwrap().len(), 10);
    for (line, words) in [
        ("{\"x\": [[1, 2]], \"y\": [1]}", "\"x\" is not what this run takes: send \"t\" and a \"gradient\""),
        ("{}", "there is no cost in the line"),
        ("{\"gradient\": [4711, 2]}", "\"t\" is missing"),
        ("{\"t\": 0, \"gradient\": [4711]}", "\"gradient\" has 1 numbers, expected 2"),
        ("{\"t\": 0, \"gradient\": [4711, 1e999]}", "\"gradient\", number 2"),
        ("{\"t\": 0, \"gradient\": [4711, NaN]}", "JSON has no NaN"),
        ("{\"t\": 0, \"values\": [4711, 2]}", "\"values\" is not what this run takes"),
    ] {
        let (status, answer) = node.post(line);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let said = answer["malformed"].as_str().unwrap();
        assert!(status == 400 && said.contains(words) && !said.contains("4711"), "{line}: {said}");
    }
    let (status, answer) = node.post("{\"t\": 12, \"gradient\": [1, 2]}");
    assert_eq!((status, answer.as_str()), (409, "{\"line\":1,\"early\":12,\"next\":0}\n"));
    let (status, answer) = node.post("{\"t\": 0, \"at\": \"0123456789abcdef\", \"gradient\": [1, 2]}");
    assert_eq!((status, answer.as_str()), (409, "{\"line\":1,\"t\":0,\"stale\":true}\n"));
    let (status, answer) = node.post(&format!(
        "{{\"t\": 0, \"at\": {}, \"gradient\": {{\"1\": 0.5}}, \"public\": [1, 2]}}",
        view["at"]
    ));
    assert_eq!((status, answer.as_str()), (200, "{\"line\":1,\"t\":0,\"taken\":0}\n"));
    let (status, answer) = node.post("{\"t\": 0, \"gradient\": [1, 2]}");
    assert_eq!((status, answer.as_str()), (409, "{\"line\":1,\"duplicate\":0,\"next\":1}\n"));
    assert!(nodes[0].stop(Signal::TERM).0.success());
    assert!(!nodes[0].log().contains("4711"), "what a cost says is nobody's business");
    assert_eq!(world.ledger(&nodes[0])["releases"], 1);
}

#[test]
fn gradients_may_come_on_standard_input_too() {
    let world = World::new();
    world.put("rows.csv", &rows());
    let mut node = world.nodes(&experiment(EXTERNAL), "stream = \"stdin\"\nask = 0.05").swap_remove(0);
    node.start_with(Stdio::piped(), Stdio::null());
    let mut input = node.child.as_mut().unwrap().stdin.take().unwrap();
    for line in [
        r#"{"t": 0, "gradient": [1, 2]}"#,
        r#"{"t": 5, "gradient": [1, 2]}"#, // no estimate of round 5 exists
        r#"{"t": 0, "gradient": [1, 2]}"#, // again
        r#"{"gradient": [1, 2]}"#,         // for which round?
        r#"{"t": 1, "gradient": {"0": 1}}"#,
    ] {
        writeln!(input, "{line}").unwrap();
    }
    drop(input);
    let stream =
        until("the stream has ended", || Some(node.now()["stream"].clone()).filter(|s| s["ended"] == true));
    assert_eq!(
        stream,
        json!({ "taken": 2, "unused": 0, "gaps": 0, "duplicates": 1, "early": 1, "stale": 0, "over": 0, "malformed": 1, "ended": true })
    );
    assert!(node.stop(Signal::TERM).0.success());
    assert_eq!(world.ledger(&node)["releases"], 2);
}

#[test]
fn costs_of_a_program_need_a_program() {
    let world = World::new();
    drop(world.nodes(&experiment(EXTERNAL), ""));
    let said = world.dpsda(&["run", "e.toml"]);
    assert!(said.code == Some(2) && said.err.contains("problem.cost = \"external\""), "{}", said.err);
    let said = world.dpsda(&["cluster", "up", "e.toml"]);
    assert!(said.code == Some(2) && said.err.contains("node.stream=http"), "{}", said.err);
    world.works(&["check", "e.toml"]);
    for (own, words) in
        [("stream = \"data\"", "\"stdin\" or \"http\""), ("stream = \"stdin\"", "`node.http` is not set")]
    {
        world.put("node-0/node.toml", &format!("[node]\nmanifest = \"../manifest.toml\"\n{own}\n"));
        let said = world.dpsda(&["node", "node-0/node.toml"]);
        assert!(said.code == Some(2) && said.err.contains(words), "{own}: {}", said.err);
    }
}

/// The loop in the book is the program's.
#[test]
fn the_book_shows_the_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let book = fs::read_to_string(root.join("docs/deploy.md")).unwrap();
    let shown = book.split_once("```python\n").unwrap().1.split_once("```").unwrap().0;
    let program = fs::read_to_string(root.join("examples/python/agent.py")).unwrap();
    assert!(
        shown.lines().count() > 10 && program.contains(shown),
        "docs/deploy.md shows another program:\n{shown}"
    );
}

/// What the program tells about a cost before it drives a node with it.
#[test]
fn the_program_finds_a_cost_that_is_not_convex() {
    let script = r#"
import agent
class Own:
    def __init__(self, bend):
        self.bend = bend
    def gradient(self, t, x, start, end):
        return [2 * self.bend * x[k] for k in range(start, end)], [1.0] * (end - start)
view = {"t": 0, "rounds": 9, "block": [2, 4], "estimate": [0.5] * 5}
print(agent.falls(Own(1.0), view), agent.falls(Own(-1.0), view))
"#;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python");
    let mut python = std::process::Command::new("python3");
    python.args(["-B", "-c", script]).current_dir(folder);
    let said = python.output().unwrap_or_else(|error| panic!("the tests need python3: {error}"));
    assert_eq!(String::from_utf8_lossy(&said.stdout), "False True\n", "{said:?}");
}
