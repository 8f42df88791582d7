//! One of seven is stopped or killed: the others do not notice it in their rounds, and it comes back.

use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::world::{Node, World, until};

const PACE: f64 = 50.0;
/// How long rounds are counted.
const WINDOW: Duration = Duration::from_secs(3);
/// A window in which the machine was busy with something else shows nothing. So this many windows are tried.
const TRIES: usize = 3;
/// How long the test waits for it.
const GIVEN_UP: Duration = Duration::from_secs(20);
/// A node that is at most this many rounds behind has caught up: /status may be a quarter of a second old.
const NEAR: u64 = 20;
/// Not the first and not the last.
const ONE: usize = 3;

fn experiment() -> &'static str {
    r#"
title = "nobody waits"
rounds = 4000
[problem]
loss = "logistic"
data = "mushroom"
batch = 2
train = 8000
test = 100
[set]
kind = "ball"
radius = 5.0
[network]
nodes = 7
graph = "paper-fig2"
[algorithm]
name = "dpsda-r"
step = 3.0
[privacy]
mechanism = "discrete-gaussian"
epsilon = 1.0
delta = 1e-5
adjacency = "example"
clip = 1.0
"#
}

/// Rounds per second of all nodes but one, over a window.
fn rates(nodes: &[Node]) -> Vec<f64> {
    let others = || nodes.iter().enumerate().filter(|(k, _)| *k != ONE).map(|(_, node)| node);
    let seen = |node: &Node| (Instant::now(), node.round().unwrap());
    let before: Vec<_> = others().map(seen).collect();
    sleep(WINDOW);
    let after = others().map(seen);
    after.zip(before).map(|(b, a)| (b.1 - a.1) as f64 / (b.0 - a.0).as_secs_f64()).collect()
}

/// The round in the middle of the others'.
fn middle(nodes: &[Node]) -> u64 {
    let others = nodes.iter().enumerate().filter(|(k, _)| *k != ONE);
    let mut rounds: Vec<u64> = others.map(|(_, node)| node.round().unwrap()).collect();
    rounds.sort_unstable();
    rounds[rounds.len() / 2]
}

/// The age of the oldest block that any answering node knows.
fn oldest(nodes: &[Node]) -> u64 {
    nodes.iter().map(|node| node.now()["staleness"].as_u64().unwrap_or(u64::MAX)).max().unwrap()
}

/// If seven nodes cannot keep their pace while none is away, the machine has no time to catch up either.
fn is_calm(rates: &[f64]) -> bool {
    rates.iter().all(|rate| *rate >= 0.94 * PACE)
}

/// The pace of the others while it is away, compared with before. Then it comes back: how long it takes to reach them, until all
/// know each other as well as before.
fn away(nodes: &mut [Node], what: &str, go: impl Fn(&mut Node), back: impl Fn(&mut Node)) {
    let mut tried = Vec::new();
    for _ in 0..TRIES {
        let before = rates(nodes);
        let usual = (0..4).map(|_| oldest(nodes)).max().unwrap() + NEAR;
        go(&mut nodes[ONE]);
        let during = rates(nodes);
        let returned = Instant::now();
        back(&mut nodes[ONE]);
        let is_back = || {
            let one = nodes[ONE].now();
            let near = one["round"].as_u64()? + NEAR >= middle(nodes) && one["staleness"].as_u64()? <= usual;
            (near && oldest(nodes) <= usual).then_some(())
        };
        while is_back().is_none() && returned.elapsed() < GIVEN_UP {
            sleep(Duration::from_millis(10));
        }
        let current = returned.elapsed();
        let ratios = during.iter().zip(&before).map(|(during, before)| during / before);
        let least = ratios.fold(f64::MAX, f64::min);
        println!(
            "{what}: {before:.1?} rounds/s before, {during:.1?} while it is away (least ratio {least:.3}); current again after {:.2} s",
            current.as_secs_f64()
        );
        if least >= 0.9 && current <= Duration::from_secs(2) {
            return;
        }
        tried.push((least, current, is_calm(&before)));
    }
    let kept = |(least, current, _): &(f64, Duration, bool)| *least >= 0.9 && *current < GIVEN_UP;
    let busy = tried.iter().all(|(.., calm)| !calm) && tried.iter().any(kept);
    assert!(busy, "{what}: {tried:?}");
    println!("{what}: the machine was too busy to tell how soon it is back: {tried:?}");
}

#[test]
fn six_of_seven_keep_their_pace_while_one_is_stopped_or_killed_and_it_is_soon_with_them_again() {
    let world = World::alone();
    let mut nodes = world.nodes(experiment(), &format!("pace = {PACE:.1}"));
    nodes.iter_mut().for_each(Node::start);
    nodes.iter().for_each(|node| node.until_round(20));
    until("all know each other", || (oldest(&nodes) < 2 * NEAR).then_some(()));
    away(&mut nodes, "SIGSTOP", |one| one.signal(Signal::STOP), |one| one.signal(Signal::CONT));
    away(&mut nodes, "kill -9", Node::kill, Node::start);
    for node in &mut nodes {
        assert!(node.stop(Signal::TERM).0.success(), "{}", node.name);
        let rounds: Vec<u64> = node.decisions().iter().map(|decision| decision.round).collect();
        assert!(rounds.windows(2).all(|pair| pair[1] == pair[0] + 1), "{}: {rounds:?}", node.name);
    }
}
