//! Five households: their cost, and the program of the book that drives their nodes.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::world::{Node, World, until};

pub(crate) const ROUNDS: usize = 60;
pub(crate) const AGENTS: [&str; 5] = ["ada", "bob", "eve", "ian", "zoe"];

/// In step, with the noise of the seed. A killed node is back before the others stop waiting for it.
pub(crate) const IN_STEP: &str =
    "rounds = \"lock-step\"\nnoise = \"seed\"\nwait = 60.0\nidle = 15.0\nask = 0.0\n";

pub(crate) fn experiment(problem: &str) -> String {
    format!(
        r#"
title = "households"
seed = 5
rounds = {ROUNDS}
record = ["decisions"]
[problem]
{problem}
[set]
kind = "box"
lower = -3.0
upper = 3.0
[network]
nodes = 5
graph = "complete"
[algorithm]
name = "dpsda-r"
step = 0.1
[privacy]
mechanism = "discrete-gaussian"
epsilon = 20.0
delta = 1e-5
adjacency = "agent"
clip = 4.0
"#
    )
}

pub(crate) const BUILT_IN: &str = "cost = \"tracking\"\npath = \"rows.csv\"\nreference = \"reference\"\nsignals = [\"sun\"]\n\
     agents = ['ada', 'bob', 'eve', 'ian', 'zoe']";
pub(crate) const EXTERNAL: &str = "cost = \"external\"\nagents = [2, 2, 2, 2, 2]";

/// What all follow, and what each wishes, by round.
pub(crate) fn rows() -> String {
    let row = |t: usize| {
        let hour = t as f64 / 7.0;
        let public = format!("{},{}", 4.0 + hour.sin(), hour.cos().max(0.0));
        let wish = |k: usize| format!(",{}", 0.3 * k as f64 + (hour + k as f64).cos() / 3.0);
        public + &(0..AGENTS.len()).map(wish).collect::<String>() + "\n"
    };
    format!("reference,sun,{}\n", AGENTS.join(",")) + &(0..ROUNDS).map(row).collect::<String>()
}

/// The program of the book. It is killed with this.
pub(crate) struct Program {
    args: Vec<String>,
    said: PathBuf,
    pub(crate) child: Child,
}

impl Program {
    pub(crate) fn start(world: &World, nodes: &[Node]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python/agent.py");
        let mut args = vec![script.display().to_string(), world.path("rows.csv").display().to_string()];
        args.extend(AGENTS.iter().zip(nodes).map(|(name, node)| format!("{name}=http://{}", node.http)));
        let said = world.path("said.jsonl");
        Self { child: spawn(&args, &said), args, said }
    }

    /// As the power goes, and comes back.
    pub(crate) fn restart(&mut self) {
        self.kill();
        self.child = spawn(&self.args, &self.said);
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The nodes' answers, over all lives of the program. A kill may tear the last line.
    pub(crate) fn said(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.said).unwrap();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(args: &[String], said: &Path) -> Child {
    let out: File = OpenOptions::new().create(true).append(true).open(said).unwrap();
    let mut command = Command::new("python3");
    command.args(args).stdin(Stdio::null()).stdout(out);
    command.spawn().unwrap_or_else(|error| panic!("the tests need python3: {error}"))
}

/// Five nodes in their folders, started.
pub(crate) fn five(world: &World, problem: &str, own: &str) -> Vec<Node> {
    world.put("rows.csv", &rows());
    let mut nodes = world.nodes(&experiment(problem), own);
    nodes.iter_mut().for_each(Node::start);
    nodes
}

/// Waits for the end, checks that each round was decided once and released once, and returns the decisions.
pub(crate) fn finish(world: &World, nodes: &mut [Node]) -> Vec<Vec<Vec<u64>>> {
    nodes.iter().for_each(|node| node.until_round(ROUNDS as u64));
    let mut all = Vec::new();
    for node in nodes.iter_mut() {
        let decisions = until("all is written", || Some(node.decisions()).filter(|all| all.len() > ROUNDS));
        assert!(node.stop(Signal::TERM).0.success(), "{}", node.name);
        let rounds: Vec<(u64, u64)> = decisions.iter().map(|one| (one.epoch, one.round)).collect();
        assert_eq!(rounds, (0..=ROUNDS as u64).map(|t| (0, t)).collect::<Vec<_>>(), "{}", node.name);
        let book = world.ledger(node);
        assert_eq!(book["releases"], ROUNDS as u64, "{}: one release per round", node.name);
        all.push(decisions.iter().map(|one| one.block.iter().map(|x| x.to_bits()).collect()).collect());
    }
    all
}
