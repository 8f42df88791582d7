//! Seven processes and the simulator: one file, one seed, the same bits.

use std::fmt::Write as _;

use crate::world::{World, until};

/// In step, with the noise of the seed. Even on a busy machine nodes keep waiting for each other.
const IN_STEP: &str = "rounds = \"lock-step\"\nnoise = \"seed\"\nwait = 60.0\nidle = 15.0\nask = 0.0\n";
const ROUNDS: usize = 40;

fn experiment(algorithm: &str, mechanism: &str) -> String {
    let mut text = format!(
        r#"
title = "parity"
seed = 3
rounds = {ROUNDS}
trials = 1
record = ["decisions"]
[problem]
loss = "logistic"
data = "mushroom"
batch = 20
train = 6000
test = 500
[set]
kind = "ball"
radius = 5.0
[network]
nodes = 7
graph = "paper-fig2"
[privacy]
mechanism = "{mechanism}"
epsilon = 1.0
delta = 1e-5
clip = 1.0
arithmetic = "grid"
adjacency = "example"
[algorithm]
name = "{algorithm}"
step = 30.0
"#
    );
    if algorithm != "dpsda-r" {
        let _ = write!(text, "[algorithm.{algorithm}]\nlinks = \"running-sums\"\n");
    }
    text
}

/// x(t) of every round, as bits: of the simulator.
fn simulated(world: &World) -> Vec<Vec<u64>> {
    world.works(&["run", "e.toml", "--out", "o", "--quiet"]);
    let text = world.text("o/decisions.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let row = |row: csv::StringRecord| row.iter().skip(3).map(|x| bits(x.parse().unwrap())).collect();
    reader.records().map(|record| row(record.unwrap())).collect()
}

fn bits(x: f64) -> u64 {
    x.to_bits()
}

fn alike(algorithm: &str, mechanism: &str, store: &str) {
    let world = World::new();
    let mut nodes = world.nodes(&experiment(algorithm, mechanism), &format!("{IN_STEP}store = \"{store}\""));
    nodes.iter_mut().for_each(super::world::Node::start);
    nodes.iter().for_each(|node| node.until_round(ROUNDS as u64));
    let theirs = until("all is written", || {
        let all: Vec<_> = nodes.iter().map(super::world::Node::decisions).collect();
        all.iter().all(|decisions| decisions.len() > ROUNDS).then_some(all)
    });
    let who = nodes[0].get("/status").unwrap().1;
    assert!(who.contains("Nothing is private"), "noise that can be repeated hides nothing: {who}");
    let late: u64 = nodes.iter().map(|node| node.now()["late"].as_u64().unwrap()).sum();
    assert_eq!(late, 0, "nobody was given up");
    let simulated = simulated(&world);
    assert!(simulated.len() >= ROUNDS, "{}", simulated.len());
    for (t, whole) in simulated.iter().enumerate() {
        let blocks: Vec<u64> =
            theirs.iter().flat_map(|node| node[t].block.iter().copied().map(bits)).collect();
        let rounds: Vec<u64> = theirs.iter().map(|node| node[t].round).collect();
        assert_eq!(rounds, vec![t as u64; nodes.len()]);
        assert_eq!(whole.len(), blocks.len());
        for (j, (theirs, ours)) in whole.iter().zip(&blocks).enumerate() {
            let (theirs, ours) = (f64::from_bits(*theirs), f64::from_bits(*ours));
            assert_eq!(
                bits(theirs),
                bits(ours),
                "{algorithm}, {mechanism}: round {t}, coordinate {j}: {theirs:e} simulated, {ours:e} here"
            );
        }
    }
    let moved = simulated.last().unwrap().iter().filter(|x| **x != bits(0.0)).count();
    assert!(moved > 100, "{algorithm}: they learned something ({moved} coordinates)");
    println!("{algorithm}, {mechanism}, store = {store:?}: {} rounds to the bit", simulated.len());
}

#[test]
fn seven_processes_decide_what_the_simulator_decides_with_dpsda_r() {
    alike("dpsda-r", "discrete-gaussian", "store");
    alike("dpsda-r", "toeplitz", "memory");
}

#[test]
fn seven_processes_decide_what_the_simulator_decides_with_dpsda_c() {
    alike("dpsda-c", "discrete-gaussian", "memory");
}

#[test]
fn seven_processes_decide_what_the_simulator_decides_with_dpsda_ps() {
    alike("dpsda-ps", "discrete-gaussian", "store");
}
