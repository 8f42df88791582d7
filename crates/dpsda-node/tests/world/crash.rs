//! Whatever crashes: one release per node and version, nothing is sent before it is durable, the ledger is never behind, and no
//! node waits.

use dpsda_node::frame::Frame;
use dpsda_node::machine::{Happened, Todo};
use rayon::prelude::*;

use crate::host::World;
use crate::seeds::seeds;
use crate::setting::Setting;

pub(crate) const EXPERIMENT: &str = r#"
rounds = 6
[problem]
loss = "squared"
data = "synthetic-regression"
features = 5
[set]
kind = "box"
lower = -5.0
upper = 5.0
[network]
nodes = 3
graph = "ring"
[algorithm]
name = "dpsda-r"
[privacy]
mechanism = "discrete-gaussian"
epsilon = 1.0
delta = 1e-5
clip = 1.0
"#;

fn survives(setting: &Setting, budget: u64, seed: u64) {
    let mut world = World::new(setting, budget, seed);
    for _ in 0..120 {
        world.step(0.08);
    }
    world.settle();
    let rounds = setting.run.split.rounds;
    for i in 0..3 {
        let released = world.machine(i).versions()[i].1;
        let releases = world.machine(i).learner().ledger().releases();
        assert!(released <= rounds.min(budget), "seed {seed}: over budget");
        assert!(releases >= world.seen.keys().filter(|(owner, ..)| *owner == i as u32).count() as u64);
        assert!(releases <= budget);
    }
}

#[test]
fn no_crash_breaks_a_promise() {
    for mechanism in ["discrete-gaussian", "discrete-laplace", "tree", "toeplitz"] {
        let setting = Setting::new(&EXPERIMENT.replace("discrete-gaussian", mechanism));
        seeds(500)
            .into_par_iter()
            .for_each(|seed| survives(&setting, if seed % 3 == 0 { 4 } else { u64::MAX }, seed));
    }
    let automatic = EXPERIMENT.replace("name = \"dpsda-r\"", "name = \"dpsda-r\"\nstep = \"auto\"");
    let setting = Setting::new(&automatic);
    seeds(500).into_par_iter().for_each(|seed| survives(&setting, u64::MAX, seed));
    println!("{} worlds, rounds free", 5 * seeds(500).end);
}

#[test]
fn at_the_limit_a_node_goes_on_deciding_and_relaying_and_releases_nothing() {
    let setting = Setting::new(EXPERIMENT);
    let mut world = World::new(&setting, 2, 1);
    world.settle();
    assert_eq!(world.exhausted, 3);
    for i in 0..3 {
        assert_eq!(world.machine(i).round(), 6);
        assert_eq!(world.machine(i).versions(), [(0, 2); 3], "all releases got to everybody");
    }
}

/// A delayed message from before a peer's restart claims blocks that the peer no longer has.
#[test]
fn blocks_that_a_peer_seems_to_have_are_sent_again_in_time() {
    let setting = Setting::new(EXPERIMENT);
    let mut node = setting.node(0);
    setting.reveal(0, &mut |f| _ = node.on(Happened::Cost(f)));
    node.on(Happened::Durable);
    let late = Frame::Know { round: 1, versions: vec![(9, 9); 3], mark: 0, entries: Vec::new() }.bytes();
    node.on(Happened::Heard { from: 1, bytes: &late });
    let mut tells = || {
        let told = |todo: Todo| match todo {
            Todo::Send { to: 1, bytes } => setting.grammar().read(&bytes).ok(),
            _ => None,
        };
        let some = |frame| matches!(frame, Frame::Know { entries, .. } if !entries.is_empty());
        node.on(Happened::Tick).into_iter().filter_map(told).any(some)
    };
    let at = (0..100).position(|_| tells());
    assert!(at.is_some_and(|at| at > 0), "{at:?}");
}
