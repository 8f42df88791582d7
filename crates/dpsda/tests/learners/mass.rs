//! Grid arithmetic: nothing is lost and nothing is made, to the last unit.

use std::sync::Arc;

use dpsda::catalog::find;
use dpsda::fleet::Each;
use dpsda::keys::Table;
use dpsda::learner::{Algorithm, Body, Message, Setup};
use dpsda::loss::LOSSES;
use dpsda::network::{Cycle, Graph, Topology, Transit, weights};
use dpsda::objective::Batch;
use dpsda::privacy::plan::{Adjacency, Arithmetic, Coverage, Decide, Extent};
use dpsda::privacy::{Guard, Mechanism, Plan, Privacy};
use dpsda::rng::{Purpose, Seed};
use dpsda::set::Free;
use dpsda::{Blocks, Fleet, Keys};
use rand::RngExt;

use crate::world::World;

/// `sum`: the units of all duals, coordinate by coordinate.
fn sum(messages: &[Arc<Message>], d: usize) -> (Vec<i128>, f64) {
    let mut sum = (vec![0; d], 0.0);
    for message in messages {
        let Body::Dual { dual, weight } = &message.body else { panic!("a dual") };
        let (units, _) = dual.units().expect("on the grid");
        sum.0.iter_mut().zip(units).for_each(|(s, k)| *s += i128::from(*k));
        sum.1 += weight;
    }
    sum
}

fn holds(name: &str, n: usize, d: usize, rounds: u64, asked: Privacy) {
    let seed = Seed { seed: n as u64, trial: 1 };
    let mut rng = seed.stream(Purpose::Data, 0, 0);
    let algorithm = Algorithm::named(name).unwrap();
    let blocks = Arc::new(Blocks::even(d, n).unwrap());
    let extent = Extent { style: algorithm.style(), blocks: &blocks, rounds, batch: 3 };
    let plan = Arc::new(Plan::new(asked, &extent).unwrap());
    let rule = if name == "dpsda-c" { "metropolis" } else { "push-sum" };
    let learner = |node| {
        let mut setup =
            Setup::new(node, Arc::clone(&blocks), Arc::new(Free), Arc::clone(&plan), seed).unwrap();
        setup.weights = Some(weights::named(rule).unwrap().into());
        algorithm.learner(setup)
    };
    // Twins of the guards, which release the same and mix nothing.
    let mut twins: Vec<Guard> = (0..n).map(|i| plan.guard(i, seed)).collect();
    let mut secrets: Vec<_> = (0..n).map(|i| twins[i].nothing(blocks.range(i).len())).collect();
    let mut ledger = plan.ledger();
    let mut released = vec![0_i128; d];

    let rows = 3 * rounds as usize;
    let features: Vec<Vec<f64>> =
        (0..rows).map(|_| (0..d).map(|_| rng.random::<f64>() - 0.5).collect()).collect();
    let samples = World::samples(&features, (0..rows).map(|k| if k % 2 == 0 { 1.0 } else { -1.0 }).collect());
    let loss = (find(LOSSES, "loss", "logistic").unwrap().build)(&Keys::new("problem", &Table::new()));
    let loss = loss.unwrap();
    let graph = |_| {
        let links: Vec<_> = (0..2 * n).map(|_| (rng.random_range(0..n), rng.random_range(0..n))).collect();
        let graph = Graph::of(n, links.into_iter().filter(|(a, b)| a != b));
        if name == "dpsda-c" { graph.undirected() } else { graph }
    };
    let topology: Arc<dyn Topology> = Arc::new(Cycle::new((0..rounds).map(graph).collect()).unwrap());
    let network = Some((topology, Transit::prompt()));
    let learners = (0..n).map(learner).collect();
    let mut fleet =
        Each::of(learners, algorithm.style(), Arc::clone(&blocks), Arc::clone(&plan), network).unwrap();
    for t in 0..rounds {
        for (i, secret) in secrets.drain(..).enumerate() {
            let mut share = plan.zeros(d);
            share.add_block(blocks.range(i), &twins[i].release(secret, t, &mut ledger));
            if plan.coverage() == Coverage::All {
                twins[i].noise_foreign(&mut share, blocks.range(i), t);
            }
            let (units, _) = share.units().unwrap();
            released.iter_mut().zip(units).for_each(|(s, k)| *s += i128::from(*k));
        }
        let rows: Vec<usize> = (3 * t as usize..3 * t as usize + 3).collect();
        let f = Batch { samples: &samples, rows: &rows, loss: &*loss };
        for (i, twin) in twins.iter().enumerate() {
            secrets.push(twin.observe(t, &plan.seal(&f), &fleet.estimate(i), blocks.range(i), &[]));
        }
        fleet.learn(t, &f).unwrap();
        let said = fleet.speak(t);
        let (duals, weights) = sum(&said.messages, d);
        assert_eq!(duals, released, "{name}, {n} nodes, round {t}");
        assert!(weights == n as f64, "{name}, {n} nodes, round {t}: weights {weights}");
        fleet.deliver(&said);
    }
    assert!(released.iter().any(|k| *k != 0));
}

#[test]
fn the_sum_of_all_duals_is_the_sum_of_all_releases() {
    for mechanism in ["discrete-laplace", "discrete-gaussian"] {
        let mechanism = Mechanism::named(mechanism).unwrap();
        for name in ["dpsda-c", "dpsda-ps"] {
            for (n, d) in [(1, 1), (2, 5), (7, 21), (40, 97)] {
                let on_grid =
                    |asked: Privacy| asked.mechanism(mechanism.clone()).arithmetic(Arithmetic::Grid);
                let asked = on_grid(Privacy::epsilon(1.0).delta(1e-5).clip(1.0));
                holds(name, n, d, 60, asked.clone());
                holds(name, n, d, 20, asked.adjacency(Adjacency::Example).coverage(Coverage::All));
                let level = on_grid(Privacy::level(0.5).clip(0.3).grid(20));
                holds(name, n, d, 20, level.decide(Decide::Private));
            }
        }
    }
}
