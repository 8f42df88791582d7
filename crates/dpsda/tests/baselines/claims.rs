//! Each baseline's own claim: agreement, the known optimum, sublinear regret, its non-private parent, its weights.

use std::sync::Arc;

use dpsda::catalog::find;
use dpsda::keys::Table;
use dpsda::learner::Body;
use dpsda::loss::LOSSES;
use dpsda::objective::{Batch, Objective};
use dpsda::regret::{TOLERANCE, best};
use dpsda::rng::{Purpose, Seed};
use dpsda::{Blocks, Keys, set};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use crate::world::{World, distance, split};

/// Strongly connected and far from balanced: node 0 is heard by all and hears one.
const UNBALANCED: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (3, 0)];

fn squared(nodes: usize, dim: usize, radius: f64, links: &[(usize, usize)]) -> World {
    let table = dpsda_config::table(&format!("kind = 'ball'\nradius = {radius}")).unwrap();
    World {
        nodes,
        set: Arc::from(
            set::from_keys(&Keys::new("set", &table), &Blocks::even(dim, nodes).unwrap()).unwrap(),
        ),
        loss: (find(LOSSES, "loss", "squared").unwrap().build)(&Keys::new("problem", &Table::new())).unwrap(),
        a: Vec::new(),
        b: Vec::new(),
        batch: nodes,
        rounds: 0,
        graphs: vec![links.to_vec()],
        step: 1.0,
        level: f64::INFINITY,
    }
}

/// Every round node `i` sees `|x - c_i|^2 / (4 * 4)`, one coordinate per sample: the best model is the mean of the `c_i`.
fn quadratic(rounds: usize) -> (World, Vec<f64>) {
    let centres = [[4.0, 0.0, 0.0, 0.0], [0.0, -2.0, 0.0, 1.0], [0.0, 2.0, 4.0, 1.0], [0.0, 4.0, 0.0, 2.0]];
    let mut world = squared(4, 4, 50.0, &UNBALANCED);
    for centre in &centres {
        for (k, label) in centre.iter().enumerate() {
            world.a.push((0..4).map(|j| f64::from(j == k)).collect());
            world.b.push(*label);
        }
    }
    (world.batch, world.rounds) = (16, rounds);
    (world, vec![1.0; 4])
}

fn farthest(models: &[Vec<f64>], from: &[f64]) -> f64 {
    let away = |x: &Vec<f64>| x.iter().zip(from).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    models.iter().map(away).fold(0.0, f64::max)
}

/// Consensus on a fixed objective, and at the known optimum: no node's own, and not weighted by who is heard most.
#[test]
fn every_baseline_finds_the_optimum_of_all_nodes_on_an_unbalanced_graph() {
    for algorithm in split() {
        let away = |rounds| {
            let (world, optimum) = quadratic(rounds);
            farthest(world.run(algorithm.name).last().unwrap(), &optimum)
        };
        let (early, late) = (away(200), away(20_000));
        assert!(
            late < 0.1 && late < 0.3 * early,
            "{}: {early} after 200 rounds, then {late}",
            algorithm.name
        );
    }
}

#[test]
fn the_nodes_of_every_baseline_agree_in_the_end() {
    for algorithm in split() {
        let apart = |rounds| {
            let models = quadratic(rounds).0.run(algorithm.name).pop().unwrap();
            let mean: Vec<f64> = (0..4).map(|k| models.iter().map(|x| x[k]).sum::<f64>() / 4.0).collect();
            farthest(&models, &mean)
        };
        let (early, late) = (apart(20), apart(20_000));
        assert!(late < 0.1 && late < 0.3 * early, "{}: {early} after 20 rounds, then {late}", algorithm.name);
    }
}

/// A stream of regression rounds: `b = a.x^ + noise`, one sample per node and round.
fn stream(rounds: usize) -> World {
    let mut world = squared(4, 6, 5.0, &UNBALANCED);
    let mut rng = Seed::new(8).stream(Purpose::Data, 0, 0);
    let normal = |rng: &mut _| -> f64 { StandardNormal.sample(rng) };
    let truth: Vec<f64> = (0..6).map(|_| normal(&mut rng)).collect();
    for _ in 0..4 * rounds {
        let a: Vec<f64> = (0..6).map(|_| rng.random::<f64>() - 0.5).collect();
        world.b.push(a.iter().zip(&truth).map(|(a, x)| a * x).sum::<f64>() + 0.3 * normal(&mut rng));
        world.a.push(a);
    }
    world.rounds = rounds;
    world
}

/// Regret of the node that has the largest, over T.
fn regret(name: &str, rounds: usize) -> f64 {
    let world = stream(rounds);
    let samples = world.samples();
    let models = world.run(name);
    let cost = |i: usize| {
        let of = |t: usize| {
            Batch { samples: &samples, rows: &world.rows(t), loss: &*world.loss }.value(&models[t][i])
        };
        (0..rounds).map(of).sum::<f64>() / rounds as f64
    };
    let worst = (0..4).map(cost).fold(f64::MIN, f64::max);
    let all: Vec<usize> = (0..world.a.len()).collect();
    let whole = Batch { samples: &samples, rows: &all, loss: &*world.loss };
    worst - best(&[&whole], &*world.set, &[0.0; 6], TOLERANCE).value
}

#[test]
fn the_regret_of_every_baseline_is_sublinear() {
    for algorithm in split() {
        let (short, long) = (regret(algorithm.name, 250), regret(algorithm.name, 4000));
        assert!(short > 0.0 && long < 0.4 * short, "{}: {short} a round, then {long}", algorithm.name);
    }
}

#[test]
fn without_noise_dp_osp_is_osp() {
    let world = stream(50);
    assert_eq!(world.run("dp-osp"), world.run("osp"));
}

/// On a regular undirected graph push-sum's weights are metropolis's, and its scalar stays 1.
#[test]
fn without_noise_dpps_on_a_regular_undirected_graph_is_doda() {
    let mut world = stream(50);
    world.graphs = vec![(0..4).flat_map(|i| [(i, (i + 1) % 4), ((i + 1) % 4, i)]).collect()];
    let away = distance(&world.run("dpps"), &world.run("doda"));
    assert!(away < 1e-12, "{away:e}");
    world.graphs = vec![UNBALANCED.to_vec()];
    assert!(distance(&world.run("dpps"), &world.run("doda")) > 1e-3, "elsewhere they differ");
}

/// The numbers that go with what node `i` said in every round.
fn said(world: &World, name: &str) -> Vec<Vec<Vec<f64>>> {
    let mut seen = Vec::new();
    world.drive(name, &mut |_, _, said| {
        let numbers = said.iter().map(|m| match &m.body {
            Body::State { weights, .. } => weights.clone(),
            _ => panic!("a state"),
        });
        seen.push(numbers.collect());
    });
    seen.split_off(1)
}

#[test]
fn the_weights_of_dp_wb_stay_in_0_to_1_and_balance() {
    let mut rng = Seed::new(6).stream(Purpose::Graph, 0, 0);
    for case in 0..20 {
        let n = rng.random_range(2..8);
        let ring = (0..n).map(|i| (i, (i + 1) % n)); // strongly connected
        let links: Vec<_> =
            ring.chain((0..2 * n).map(|_| (rng.random_range(0..n), rng.random_range(0..n)))).collect();
        let mut world = squared(n, n, 1.0, &links);
        (world.a, world.b, world.rounds) = (vec![vec![0.0; n]; n], vec![0.0; n], 3000);
        let graph = dpsda::network::Graph::of(n, links);
        let told: Vec<f64> = (0..n).map(|i| graph.out(i).len() as f64).collect();
        let b = said(&world, "dp-wb");
        for b in b.iter().flatten().flatten().zip(told.iter().cycle()) {
            assert!(*b.0 > 0.0 && *b.0 < 1.0 && b.1 * b.0 < 1.0, "case {case}: b = {}, outdeg {}", b.0, b.1);
        }
        let last = b.last().unwrap();
        for (i, heard) in graph.heard().into_iter().enumerate() {
            let given: f64 = heard.iter().filter(|j| **j != i).map(|j| last[*j][0]).sum();
            assert!(
                (given - told[i] * last[i][0]).abs() < 1e-6 * last[i][0],
                "case {case}: node {i} is not balanced"
            );
        }
    }
}

/// Whatever the noise, it only goes around.
#[test]
fn the_mean_model_of_dp_wb_moves_by_gradients_alone() {
    let mut world = squared(4, 4, 1.0, &UNBALANCED);
    (world.a, world.b, world.rounds, world.level) = (vec![vec![0.0; 4]; 4], vec![0.0; 4], 50, 0.01);
    for models in world.run("dp-wb") {
        for k in 0..4 {
            let sum: f64 = models.iter().map(|x| x[k]).sum();
            assert!(sum.abs() < 1e-9, "{sum:e}");
        }
    }
}

/// `pi A = pi`: how much the network listens to each node, found here by powers of A.
#[test]
fn dpsr_learns_how_much_the_network_listens_to_each_node() {
    let mut world = squared(4, 4, 1.0, &UNBALANCED);
    (world.a, world.b, world.rounds) = (vec![vec![0.0; 4]; 4], vec![0.0; 4], 400);
    let heard = dpsda::network::Graph::of(4, UNBALANCED).heard();
    let mut pi = [0.25; 4];
    for _ in 0..1000 {
        let mut next = [0.0; 4];
        for (i, heard) in heard.iter().enumerate() {
            heard.iter().for_each(|j| next[*j] += pi[i] / heard.len() as f64);
        }
        pi = next;
    }
    assert!(pi[0] > 2.0 * pi[1], "{pi:?}: far from even");
    for (i, r) in said(&world, "dpsr").last().unwrap().iter().enumerate() {
        assert!((r[i] - pi[i]).abs() < 1e-9, "node {i}: {} and {}", r[i], pi[i]);
    }
}
