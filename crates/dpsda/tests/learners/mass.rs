//! Grid arithmetic: nothing is lost and nothing is made, to the last unit.

use std::sync::Arc;

use dpsda::Blocks;
use dpsda::catalog::find;
use dpsda::keys::Table;
use dpsda::learner::{ALGORITHMS, Body, Learner, Links, Message, Setup, Step};
use dpsda::loss::LOSSES;
use dpsda::network::Graph;
use dpsda::network::weights;
use dpsda::objective::Batch;
use dpsda::objective::two_point::Feedback;
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda::privacy::plan::{Adjacency, Arithmetic, Decide, Noise, Plan, Shape, Wish};
use dpsda::rng::{Purpose, Seed};
use dpsda::set::free::Free;
use dpsda::{Keys, privacy::Guard};
use rand::RngExt;

use crate::world::World;

/// `sum`: the units of all duals, coordinate by coordinate.
fn sum(messages: &[Message], d: usize) -> (Vec<i128>, f64) {
    let mut sum = (vec![0; d], 0.0);
    for message in messages {
        let Body::Dual { dual, weight } = &message.body else { panic!("a dual") };
        let (units, _) = dual.units().expect("on the grid");
        sum.0.iter_mut().zip(units).for_each(|(s, k)| *s += i128::from(*k));
        sum.1 += weight;
    }
    sum
}

fn holds(name: &str, n: usize, d: usize, rounds: u64, wish: Wish) {
    let seed = Seed { seed: n as u64, trial: 1 };
    let mut rng = seed.stream(Purpose::Data, 0, 0);
    let blocks = Blocks::even(d, n).unwrap();
    let shape = Shape { averages: true, blocks: &blocks, rounds, batch: 3 };
    let plan = Arc::new(Plan::new(wish, &shape).unwrap());
    let rule = if name == "dpsda-c" { "metropolis" } else { "push-sum" };
    let setup = Setup {
        node: 0,
        blocks: Arc::new(blocks.clone()),
        set: Arc::new(Free),
        step: Step::decaying(1.0),
        weights: Some(weights::named(rule).unwrap().into()),
        plan: Arc::clone(&plan),
        links: Links::Naive,
        feedback: Feedback::Gradient,
        gradient_error: 0.0,
        seed,
        key: None,
    };
    let build = find(ALGORITHMS, "algorithm.name", name).unwrap().build.build;
    let mut learners: Vec<Box<dyn Learner>> =
        (0..n).map(|node| build(Setup { node, ..setup.clone() })).collect();
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
    for t in 0..rounds {
        let links: Vec<_> = (0..2 * n).map(|_| (rng.random_range(0..n), rng.random_range(0..n))).collect();
        let graph = Graph::of(n, links.into_iter().filter(|(a, b)| a != b));
        let graph = if name == "dpsda-c" { graph.undirected() } else { graph };
        for (i, secret) in secrets.drain(..).enumerate() {
            let mut share = plan.zeros(d);
            share.add_block(blocks.range(i), &twins[i].release(secret, t, &mut ledger));
            if wish.noise == Noise::All {
                twins[i].noise_foreign(&mut share, blocks.range(i), t);
            }
            let (units, _) = share.units().unwrap();
            released.iter_mut().zip(units).for_each(|(s, k)| *s += i128::from(*k));
        }
        let rows: Vec<usize> = (3 * t as usize..3 * t as usize + 3).collect();
        let f = Batch { samples: &samples, rows: &rows, loss: &*loss };
        for (i, learner) in learners.iter().enumerate() {
            secrets.push(twins[i].observe(t, &f, learner.estimate(), blocks.range(i), &[]));
        }
        learners.iter_mut().for_each(|l| l.learn(t, &f));
        let said: Vec<_> = learners.iter_mut().zip(graph.degrees()).map(|(l, d)| l.speak(d)).collect();
        let (duals, weights) = sum(&said, d);
        assert_eq!(duals, released, "{name}, {n} nodes, round {t}");
        assert!(weights == n as f64, "{name}, {n} nodes, round {t}: weights {weights}");
        for (i, learner) in learners.iter_mut().enumerate() {
            let inbox: Vec<_> =
                graph.links().filter(|(_, to)| *to == i).map(|(from, _)| &said[from]).collect();
            learner.listen(t, &inbox);
        }
    }
    assert!(released.iter().any(|k| *k != 0));
}

#[test]
fn the_sum_of_all_duals_is_the_sum_of_all_releases() {
    for mechanism in ["discrete-laplace", "discrete-gaussian"] {
        let mechanism = find(MECHANISMS, "mechanism", mechanism).unwrap();
        for name in ["dpsda-c", "dpsda-ps"] {
            for (n, d) in [(1, 1), (2, 5), (7, 21), (40, 97)] {
                let wish =
                    Wish { arithmetic: Arithmetic::Grid, ..Wish::epsilon(mechanism, 1.0, Some(1e-5), 1.0) };
                holds(name, n, d, 60, wish);
                holds(name, n, d, 20, Wish { adjacency: Adjacency::Example, noise: Noise::All, ..wish });
                let level = Wish { clip: Some(0.3), grid: Some(20), ..Wish::level(mechanism, 0.5) };
                let private = Wish { arithmetic: Arithmetic::Grid, decide: Decide::Private, ..level };
                holds(name, n, d, 20, private);
            }
        }
    }
}
