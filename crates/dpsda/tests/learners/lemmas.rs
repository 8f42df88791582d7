//! Lemmas 2 and 5, checked on what a run says: `z_i(t) = h_i(t) - eta_i(t)` is recovered from the messages, `u_i(t)` from
//! the estimates.

use std::sync::Arc;

use dpsda::catalog::find;
use dpsda::keys::Table;
use dpsda::learner::{Body, Message};
use dpsda::loss::LOSSES;
use dpsda::network::weights::{self, matrix};
use dpsda::objective::Objective;
use dpsda::privacy::plan::{Coverage, Decide};
use dpsda::rng::{Purpose, Seed};
use dpsda::{Blocks, Keys, set};
use rand::RngExt;

use crate::world::World;

const N: usize = 4;
const T: usize = 25;

fn world(weights: &'static str, decide: Decide) -> World {
    let blocks = Blocks::of(&[1, 2, 1, 1], 5).unwrap();
    let table = dpsda_config::table("kind = 'box'\nlower = -1\nupper = 1").unwrap();
    let mut rng = Seed::new(3).stream(Purpose::Data, 0, 0);
    let mut vector = || (0..5).map(|_| rng.random::<f64>() - 0.5).collect::<Vec<_>>();
    World {
        set: Arc::from(set::from_keys(&Keys::new("set", &table), &blocks).unwrap()),
        blocks,
        loss: (find(LOSSES, "loss", "squared").unwrap().build)(&Keys::new("problem", &Table::new())).unwrap(),
        graphs: vec![vec![(0, 1), (1, 2), (2, 0)], vec![(3, 0), (1, 3)], vec![(0, 3), (2, 3), (3, 1)]],
        eta: (0..=T).map(|_| (0..N).map(|_| vector()).collect()).collect(),
        samples: World::samples(&(0..T).map(|_| vector()).collect::<Vec<_>>(), vec![1.0; T]),
        batch: 1,
        rounds: T,
        weights,
        decide,
        coverage: Coverage::All,
    }
}

struct Run {
    /// `z[t][i]`
    z: Vec<Vec<Vec<f64>>>,
    /// `u[t][k]`, taken at the estimate of the owner of coordinate `k`
    u: Vec<Vec<f64>>,
    /// The weight matrix of every round.
    m: Vec<Vec<Vec<f64>>>,
}

fn run(world: &World) -> Run {
    let directed = world.weights == "push-sum";
    let seen = world.run(if directed { "dpsda-ps" } else { "dpsda-c" });
    let rule = weights::named(world.weights).unwrap();
    let z = seen.said.iter().zip(&world.eta).map(|(said, eta)| {
        let minus = |(m, eta): (&Arc<Message>, &Vec<f64>)| {
            let Body::Dual { dual, .. } = &m.body else { panic!("gossip says duals") };
            dual.to_reals().iter().zip(eta).map(|(h, e)| h - e).collect()
        };
        said.iter().zip(eta).map(minus).collect()
    });
    let u = seen.y.iter().enumerate().map(|(t, y)| {
        let rows = world.rows(t);
        let part = |(i, block): (usize, std::ops::Range<usize>)| {
            let mut g = vec![0.0; block.len()];
            world.cost(&rows).partial(&y[i], block, &mut g);
            g
        };
        world.blocks.iter().enumerate().flat_map(part).collect()
    });
    Run {
        z: z.collect(),
        u: u.collect(),
        m: (0..T).map(|t| matrix(&*rule, &world.graph(t, !directed))).collect(),
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * (1.0 + a.abs())
}

const CASES: [(&str, Decide); 4] = [
    ("metropolis", Decide::Private),
    ("metropolis", Decide::Published),
    ("push-sum", Decide::Private),
    ("push-sum", Decide::Published),
];

/// (16), Lemma 2(a) and Lemma 5(a): the mean dual moves by the mean noise and the gradients.
#[test]
fn the_mean_dual_is_the_centralised_one() {
    for (weights, decide) in CASES {
        let world = world(weights, decide);
        let Run { z, u, .. } = run(&world);
        let mean = |t: usize, k: usize| z[t].iter().map(|z| z[k]).sum::<f64>() / N as f64;
        for t in 0..T - 1 {
            for k in 0..5 {
                let eta = world.eta[t].iter().map(|eta| eta[k]).sum::<f64>() / N as f64;
                assert!(
                    close(mean(t + 1, k), mean(t, k) + eta + u[t][k]),
                    "{weights} {decide:?} t = {t}, k = {k}"
                );
            }
        }
    }
}

/// Errata 2: with uniform weights on an irregular graph (16) does *not* hold.
#[test]
fn uniform_weights_break_the_mean() {
    let world = world("uniform", Decide::Private);
    let Run { z, u, .. } = run(&world);
    let mean = |t: usize| z[t].iter().map(|z| z[0]).sum::<f64>() / N as f64;
    let eta = |t: usize| world.eta[t].iter().map(|eta| eta[0]).sum::<f64>() / N as f64;
    assert!((0..T - 1).any(|t| !close(mean(t + 1), mean(t) + eta(t) + u[t][0])));
}

/// (17) and (23), Lemma 2(b) and Lemma 5(b): every dual is the unrolled sum of gradients and noises.
#[test]
fn every_dual_is_the_unrolled_sum() {
    for (weights, decide) in CASES.into_iter().chain([("uniform", Decide::Private)]) {
        let world = world(weights, decide);
        let Run { z, u, m } = run(&world);
        for t in 0..T {
            // products[s] = M(t-1:s), and the identity for s = t
            let mut products = vec![identity(); t + 1];
            for s in (0..t).rev() {
                products[s] = multiply(&products[s + 1], &m[s]);
            }
            for i in 0..N {
                for k in 0..5 {
                    let owner = world.blocks.iter().position(|b| b.contains(&k)).unwrap();
                    let mut sum = 0.0;
                    for s in 0..t {
                        sum += N as f64 * products[s + 1][i][owner] * u[s][k];
                        sum += (0..N).map(|j| products[s][i][j] * world.eta[s][j][k]).sum::<f64>();
                    }
                    assert!(close(z[t][i][k], sum), "{weights} {decide:?} t = {t}, i = {i}, k = {k}");
                }
            }
        }
    }
}

fn identity() -> Vec<Vec<f64>> {
    (0..N).map(|i| (0..N).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

fn multiply(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let entry = |i: usize, j: usize| (0..N).map(|k| a[i][k] * b[k][j]).sum();
    (0..N).map(|i| (0..N).map(|j| entry(i, j)).collect()).collect()
}
