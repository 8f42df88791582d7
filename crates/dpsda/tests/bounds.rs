//! Constants, lags and formulas of `bounds` against brute force and against numbers worked out by hand.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use dpsda::bounds::printed::Printed;
use dpsda::bounds::spread::{Certified, Lag, Products, Relayed, Spread};
use dpsda::bounds::{Constants, Missing, Perturbation, Point, Promise, Signal};
use dpsda::catalog::find;
use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::learner::Step;
use dpsda::loss::{LOSSES, Loss};
use dpsda::network::certificate::certify;
use dpsda::network::cycle::Cycle;
use dpsda::network::transit::Transit;
use dpsda::network::weights::{WEIGHTS, Weights, matrix};
use dpsda::network::{Graph, Topology};
use dpsda::objective::{Batch, Objective};
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda::privacy::plan::{Adjacency, Plan, Shape, Wish};
use dpsda::rng::{Purpose, Seed, Stream};
use dpsda::set::ConvexSet;
use dpsda::{Blocks, Keys, set};
use rand::RngExt;

const SIZES: [usize; 3] = [2, 1, 2];

/// Messages arrive when they are sent.
const PROMPT: Transit = Transit { lost: None, delay: None };

/// Where a bound is attained, the last digit decides.
const ROUNDING: f64 = 1.0 + 1e-12;

fn blocks() -> Blocks {
    Blocks::of(&SIZES, 5).unwrap()
}

fn a_set(text: &str) -> Arc<dyn ConvexSet> {
    let table: toml::Table = text.parse().unwrap();
    set::from_keys(&Keys::new("set", &table), &blocks()).unwrap().into()
}

fn a_loss(name: &str) -> Box<dyn Loss> {
    (find(LOSSES, "loss", name).unwrap().build)(&Keys::new("problem", &toml::Table::new())).unwrap()
}

fn stream(case: u64) -> Stream {
    Seed { seed: 5, trial: 0 }.stream(Purpose::Data, case, 0)
}

fn samples(rng: &mut Stream, count: usize) -> Samples {
    let a: Vec<f64> = (0..5 * count).map(|_| rng.random_range(-1.0..1.0)).collect();
    let labels = (0..count).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect();
    Samples { features: Box::new(Dense::new(a, 5).unwrap()), labels }
}

fn norm(a: &[f64]) -> f64 {
    a.iter().map(|a| a * a).sum::<f64>().sqrt()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn inside(set: &dyn ConvexSet, rng: &mut Stream) -> Vec<f64> {
    let mut x: Vec<f64> = (0..5).map(|_| rng.random_range(-9.0..9.0)).collect();
    set.project(&mut x);
    x
}

const SETS: [&str; 4] = [
    "kind = 'box'\nlower = -2\nupper = 3",
    "kind = 'ball'\nradius = 2",
    "kind = 'simplex'",
    "each = [{ kind = 'ball', radius = 1 }, { kind = 'box', lower = 0, upper = 4 }, { kind = 'simplex' }]",
];

/// Assumption 1(d) and (e), with every block at a point of its own and the assembled decision outside the set.
#[test]
fn no_gradient_is_longer_than_l_and_none_turns_faster_than_g() {
    for (case, (text, loss)) in
        SETS.iter().flat_map(|s| ["squared", "logistic", "huber"].map(|l| (*s, l))).enumerate()
    {
        let mut rng = stream(case as u64);
        let (set, loss, samples, batch) = (a_set(text), a_loss(loss), samples(&mut rng, 12), 3);
        let rows: Vec<usize> = (0..12).collect();
        let all = Batch { samples: &samples, rows: &rows, loss: &*loss };
        let constants = Constants::of(all, batch, &*set, &blocks());
        for _ in 0..400 {
            let at = rng.random_range(0..4) * batch;
            let f = Batch { rows: &rows[at..at + batch], ..all };
            let nodes = [inside(&*set, &mut rng), inside(&*set, &mut rng), inside(&*set, &mut rng)];
            let x: Vec<f64> = blocks().iter().zip(&nodes).flat_map(|(block, y)| y[block].to_vec()).collect();
            let middle = inside(&*set, &mut rng);
            let gradient = |y: &[f64]| {
                let mut g = vec![0.0; 5];
                f.partial(y, 0..5, &mut g);
                g
            };
            let mixed: Vec<f64> =
                blocks().iter().zip(&nodes).flat_map(|(block, y)| gradient(y)[block].to_vec()).collect();
            assert!(norm(&gradient(&x)) <= constants.gradient * ROUNDING, "{text}");
            assert!(norm(&mixed) <= constants.gradient * ROUNDING, "{text}");
            let worst = nodes.iter().map(|y| norm(&minus(y, &middle))).fold(0.0, f64::max);
            assert!(
                norm(&minus(&gradient(&middle), &mixed)) <= constants.smoothness * worst * ROUNDING,
                "{text}"
            );
            assert!(norm(&minus(&middle, &nodes[0])) <= constants.diameter * ROUNDING, "{text}");
            assert!(norm(&minus(&x, &middle)) <= constants.reach * ROUNDING, "{text}");
            for (row, (block, largest)) in (0..3).flat_map(|k| {
                blocks().iter().zip(&constants.examples).map(move |b| (k, b)).collect::<Vec<_>>()
            }) {
                let mut g = vec![0.0; block.len()];
                f.example(row, &x, block, &mut g);
                assert!(norm(&g) <= *largest * ROUNDING, "{text}");
            }
        }
    }
}

/// One sample in a box: L is the gradient in a corner, G the curvature along the sample.
#[test]
fn on_one_sample_in_a_box_nothing_is_given_away() {
    let samples = Samples {
        features: Box::new(Dense::new(vec![3.0, 0.0, 4.0, 0.0, 0.0], 5).unwrap()),
        labels: vec![1.0],
    };
    let loss = a_loss("squared");
    let all = Batch { samples: &samples, rows: &[0], loss: &*loss };
    let constants = Constants::of(all, 1, &*a_set("kind = 'box'\nlower = -2\nupper = 1"), &blocks());
    assert_eq!(constants.gradient, 2.0 * 15.0 * 5.0); // s from -14 to 7, label 1: the worst slope is 2 * 15
    assert_eq!(constants.smoothness, 2.0 * 25.0);
    assert_eq!(constants.examples, [90.0, 120.0, 0.0]);
    assert_eq!((constants.diameter, constants.psi), (45_f64.sqrt(), 10.0));
    let free = Constants::of(all, 1, &*a_set("kind = 'free'"), &blocks());
    assert!(free.gradient.is_infinite() && free.diameter.is_infinite() && free.psi.is_infinite());
}

fn fresh(variance: f64, all: bool, published: bool) -> Signal {
    Signal { square: 1.0, bias: 0.0, noise: Perturbation::Fresh { variance, all, published } }
}

fn rule(name: &str) -> Box<dyn Weights> {
    (find(WEIGHTS, "weights", name).unwrap().build)()
}

/// Random repeating graphs over three nodes; undirected ones for metropolis.
fn networks() -> impl Iterator<Item = (Cycle, &'static str)> {
    (0..40).map(|case| {
        let mut rng = stream(100 + case);
        let name = ["metropolis", "push-sum"][case as usize % 2];
        let period = rng.random_range(1..4);
        let graph = |_| {
            let pairs = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
            Graph::of(3, pairs.filter(|_| rng.random::<f64>() < 0.45).collect::<Vec<_>>())
        };
        let graphs: Vec<Graph> = (0..period).map(graph).collect();
        (Cycle::of(3, graphs, name == "push-sum"), name)
    })
}

/// The lags of round `t` from explicit products of matrices and explicit scalars, by the formula in the docs.
fn explicit(topology: &Cycle, weights: &dyn Weights, t: usize, all: bool, published: bool) -> Vec<Lag> {
    let n = 3;
    let m: Vec<_> = (0..t).map(|s| matrix(weights, &topology.graph(s as u64))).collect();
    let times = |a: &Vec<Vec<f64>>, b: &Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        (0..n).map(|i| (0..n).map(|j| (0..n).map(|k| a[i][k] * b[k][j]).sum()).collect()).collect()
    };
    let identity: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let product = |s: usize| (s..t).rev().fold(identity.clone(), |p, k| times(&p, &m[k]));
    let whole = product(0);
    let w: Vec<f64> =
        whole.iter().map(|row| if weights.row_stochastic() { 1.0 } else { row.iter().sum() }).collect();
    (0..n)
        .map(|i| {
            let off = |s: usize, j: usize| product(s)[i][j] / w[i] - 1.0 / n as f64;
            let past =
                (1..=t).map(|s| (0..n).map(|k| (n as f64 * off(s, k)).abs()).fold(0.0, f64::max)).sum();
            let last = if published { t } else { t.saturating_sub(1) };
            let noise = (0..=last).filter(|s| *s < t || published).map(|s| {
                (0..n).map(|j| off(s, j).powi(2) * if all { 5.0 } else { SIZES[j] as f64 }).sum::<f64>()
            });
            Lag { past, noise: noise.sum() }
        })
        .collect()
}

#[test]
fn lags_are_those_of_explicit_products() {
    for (case, (topology, name)) in networks().enumerate() {
        let (all, published) = (case % 3 == 0, case % 5 < 3);
        let weights = rule(name);
        let mut spread = Products::new(&topology, &*weights, &fresh(1.0, all, published), &SIZES);
        for t in 0..18 {
            let found = spread.round(t, &vec![1.0; t as usize]).unwrap();
            for (a, b) in found.iter().zip(explicit(&topology, &*weights, t as usize, all, published)) {
                assert!((a.past - b.past).abs() < 1e-9 * (1.0 + b.past), "case {case}, t = {t}: {a:?} {b:?}");
                assert!(
                    (a.noise - b.noise).abs() < 1e-9 * (1.0 + b.noise),
                    "case {case}, t = {t}: {a:?} {b:?}"
                );
            }
        }
        assert!(!spread.own_is_exact());
    }
}

/// What repeats is not computed again, and is the same.
#[test]
fn a_period_that_is_known_by_heart_gives_what_a_network_without_one_gives() {
    struct Anew(Cycle);
    impl Topology for Anew {
        fn nodes(&self) -> usize {
            self.0.nodes()
        }

        fn graph(&self, t: u64) -> Graph {
            self.0.graph(t)
        }
    }
    for (topology, name) in networks() {
        let (weights, signal) = (rule(name), fresh(1.0, false, true));
        let plain = Anew(topology.clone());
        if certify(&topology, None, true, 60).connectivity.window().is_none() {
            continue; // a push-sum scalar may fall to nothing, and what is divided by it leaves the numbers
        }
        let (mut known, mut anew) = (
            Products::new(&topology, &*weights, &signal, &SIZES),
            Products::new(&plain, &*weights, &signal, &SIZES),
        );
        for t in 0..400 {
            for (a, b) in known
                .round(t, &vec![1.0; t as usize])
                .unwrap()
                .iter()
                .zip(anew.round(t, &vec![1.0; t as usize]).unwrap())
            {
                assert!((a.past - b.past).abs() < 1e-9 * (1.0 + b.past), "{t}: {a:?} {b:?}");
                assert!((a.noise - b.noise).abs() < 1e-9 * (1.0 + b.noise), "{t}: {a:?} {b:?}");
            }
        }
    }
}

/// (34) and its doubly stochastic sibling, as we prove them: real products forget at least as fast as certified.
#[test]
fn no_lag_is_above_the_one_that_the_certificate_promises() {
    let mut connected = [0, 0];
    for (topology, name) in networks() {
        let weights = rule(name);
        let rounds = 80;
        let certificate = certify(&topology, Some(&*weights), true, rounds);
        for signal in [fresh(1.0, true, true), fresh(1.0, false, false)] {
            let Ok(mut promised) = Certified::mixing(&certificate, &signal, &SIZES) else { continue };
            connected[usize::from(name == "push-sum")] += 1;
            let mut real = Products::new(&topology, &*weights, &signal, &SIZES);
            for t in 0..rounds {
                for (real, promised) in real
                    .round(t, &vec![1.0; t as usize])
                    .unwrap()
                    .iter()
                    .zip(promised.round(t, &vec![1.0; t as usize]).unwrap())
                {
                    assert!(real.past <= promised.past + 1e-9, "{name} {t}: {real:?} {promised:?}");
                    assert!(real.noise <= promised.noise + 1e-9, "{name} {t}: {real:?} {promised:?}");
                }
            }
        }
        let (mut real, Ok(mut promised)) =
            (Relayed::new(&topology, &PROMPT, &SIZES), Certified::relay(&certificate, 5))
        else {
            continue;
        };
        for t in 0..rounds {
            for (real, promised) in real
                .round(t, &vec![1.0; t as usize])
                .unwrap()
                .iter()
                .zip(promised.round(t, &vec![1.0; t as usize]).unwrap())
            {
                assert!(
                    real.past <= promised.past && real.noise <= promised.noise,
                    "{t}: {real:?} {promised:?}"
                );
            }
        }
    }
    assert!(connected.iter().all(|c| *c > 10), "{connected:?} networks connect");
}

/// (34) as printed, where f64 can tell: on two and three nodes.
#[test]
fn entries_of_a_row_of_a_product_are_within_two_lambda_to_the_rounds() {
    let mut seen = 0;
    for (topology, _) in networks().filter(|(_, name)| *name == "push-sum") {
        let weights = rule("push-sum");
        let certificate = certify(&topology, Some(&*weights), true, 60);
        let Some(short) = certificate.one_minus_lambda else { continue };
        seen += 1;
        let m: Vec<_> = (0..40).map(|s| matrix(&*weights, &topology.graph(s))).collect();
        for s in 0..40 {
            let mut product = m[s].clone();
            for (t, factor) in m.iter().enumerate().skip(s) {
                if t > s {
                    let next = |i: usize, j: usize| (0..3).map(|k| factor[i][k] * product[k][j]).sum();
                    product = (0..3).map(|i| (0..3).map(|j| next(i, j)).collect()).collect();
                }
                let bound = 2.0 * ((t - s) as f64 * (-short).ln_1p()).exp();
                for row in &product {
                    let (low, high) = row.iter().fold((1.0_f64, 0.0_f64), |(l, h), x| (l.min(*x), h.max(*x)));
                    assert!(high - low <= bound, "{s}..{t}: {} > {bound}", high - low);
                }
            }
        }
    }
    assert!(seen > 5);
}

#[test]
fn relay_lags_are_ages_of_copies() {
    // 0 -> 1 -> 2 -> 0, one link at a time in turn.
    let ring = Cycle::of(3, [(0, 1), (1, 2), (2, 0)].map(|link| Graph::of(3, [link])).to_vec(), true);
    let mut spread = Relayed::new(&ring, &PROMPT, &SIZES);
    let lags: Vec<_> = (0..4).map(|t| spread.round(t, &vec![1.0; t as usize]).unwrap()).collect();
    let ages = |ages: [f64; 3]| Lag {
        past: ages.iter().copied().fold(0.0, f64::max),
        noise: ages.iter().zip(SIZES).map(|(a, s)| a * s as f64).sum(),
    };
    assert_eq!(lags[0], [ages([0.0; 3]); 3]);
    assert_eq!(lags[1], [ages([0.0, 1.0, 1.0]), ages([0.0, 0.0, 1.0]), ages([1.0, 1.0, 0.0])]);
    assert_eq!(lags[2], [ages([0.0, 2.0, 2.0]), ages([1.0, 0.0, 2.0]), ages([1.0, 0.0, 0.0])]);
    assert_eq!(lags[3], [ages([0.0, 1.0, 0.0]), ages([2.0, 0.0, 3.0]), ages([2.0, 1.0, 0.0])]);
    assert!(spread.own_is_exact());
}

/// A complete graph of two nodes: W = 1/2, theta = 1 - 1/32, and 1 - lambda = 1/4.
#[test]
fn the_printed_formulas_give_what_they_give_by_hand() {
    let topology = Cycle::fixed(Graph::of(2, [(0, 1), (1, 0)]), true);
    let printed = Printed {
        nodes: 2,
        dim: 2,
        square: 9.0,
        variance: 8.0, // sigma = 2: with L^ = 3 and sigma = 2 n L^ / eps, eps = 6
        psi: 5.0,
        gradient: 1.0,
        smoothness: 0.5,
        diameter: 4.0,
        step: 1.0,
    };
    assert_eq!(printed.sensitivity(1), 12.0); // (15): 2 * 2 * 3
    assert_eq!(printed.sensitivity(4), 24.0); // in a block of four
    let circulation = certify(&topology, Some(&*rule("metropolis")), false, 10);
    let slow = (31.0_f64 / 32.0 / 32.0).powi(2); // theta^2 (1 - theta)^2
    let eps = 6.0;
    // (18): 3 n^4 L^^2 / slow + 3 n^4 L^^2 + 24 n^6 L^^2 / (slow eps^2)
    let lemma_3 = 3.0 * 16.0 * 9.0 / slow + 3.0 * 16.0 * 9.0 + 24.0 * 64.0 * 9.0 / (slow * eps * eps);
    let found = printed.consensus(&circulation).unwrap();
    assert!((found / lemma_3 - 1.0).abs() < 1e-12, "{found} {lemma_3}");
    // M_1: 16 n^2 L^^2 / eps^2 + 2 n L^^2 + C + 2 (L + sqrt(n) D G) sqrt(n * (18))
    let m_1 = 16.0 * 4.0 * 9.0 / (eps * eps) + 36.0 + 5.0 + 2.0 * 3.0 * (2.0 * lemma_3).sqrt();
    let found = printed.m(&circulation, false).unwrap();
    assert!((found / m_1 - 1.0).abs() < 1e-12, "{found} {m_1}");
    assert!(
        (printed.m(&circulation, true).unwrap() - m_1 - 16.0).abs() < 1e-9,
        "(29) counts n times as many"
    );
    assert_eq!(printed.corollary(&circulation).unwrap(), 2.0 * found);

    let push_sum = certify(&topology, Some(&*rule("push-sum")), true, 10);
    // Lemma 6: beta = 2, gamma = 1, lambda = 3/4
    let slow = 0.25_f64.powi(2);
    let lemma_6 = 8.0 * 4.0 * 4.0 * 9.0 / (slow * 0.5625) + 64.0 * 16.0 * 4.0 * 9.0 / (slow * eps * eps);
    let found = printed.consensus(&push_sum).unwrap();
    assert!((found / lemma_6 - 1.0).abs() < 1e-12, "{found} {lemma_6}");
    let m_2 = 16.0 + 36.0 + 5.0 + 6.0 * (2.0 * lemma_6).sqrt();
    assert!((printed.m(&push_sum, false).unwrap() / m_2 - 1.0).abs() < 1e-12);
    let half = Printed { step: 0.5, ..printed };
    let steps = (m_2 - 5.0) / 2.0 + 10.0;
    assert!((half.m(&push_sum, false).unwrap() / steps - 1.0).abs() < 1e-12, "c scales all but C");
}

/// Theorem A by hand: three rounds, one node behind by one round.
#[test]
fn the_bound_is_the_sum_of_its_terms() {
    let constants = Constants {
        sizes: vec![1, 1],
        diameter: 4.0,
        reach: 4.0,
        psi: 5.0,
        gradient: 3.0,
        examples: vec![3.0; 2],
        smoothness: 0.01,
        separable: true,
    };
    struct Late;
    impl Spread for Late {
        fn round(&mut self, t: u64, lengths: &[f64]) -> Result<Vec<Lag>, Missing> {
            let past = lengths.last().copied().unwrap_or(0.0);
            Ok(vec![Lag::default(), Lag { past, noise: t.min(1) as f64 }])
        }

        fn own_is_exact(&self) -> bool {
            true
        }
    }
    let signal = |variance| Signal { square: 9.0, ..fresh(variance, false, true) };
    let promise = Promise { constants, signal: signal(0.25), step: Step::decaying(2.0), averages: false };
    let found = promise.curve(Late, &[1, 3]).unwrap();
    // alpha(-1) = alpha(0) = 2, alpha(1) = sqrt 2; E|phi|^2 <= 9 + 2/4; e <= 3 + 1/2, nothing in round 0
    let (root, square) = (2_f64.sqrt(), 9.5);
    let terms = square / 2.0 * (2.0 + 2.0 + root) + 4.0 * 0.01 * 3.5 * (2.0 + root);
    assert_eq!(found[0], Point { rounds: 1, regret: square + 2.5, consensus: 0.0 });
    assert!(
        (found[1].regret - (terms + 5.0 * 3_f64.sqrt() / 2.0)).abs() < 1e-12 && found[1].consensus == 12.25
    );
    // Where blocks are coupled, (E2) is paid too.
    let mut coupled = promise.clone();
    coupled.constants.separable = false;
    coupled.constants.reach = 1e9;
    let more = coupled.curve(Late, &[3]).unwrap()[0].regret;
    assert!((more - found[1].regret - 3.0 * 3.5 * (2.0 + root)).abs() < 1e-9, "{more}");
    // Short gradients make it less, in proportion.
    let mut tally = promise.clone().tally(Late).unwrap();
    for (length, steepness) in [(1.0, 2.0), (0.5, 2.0), (0.0, 2.0)] {
        tally.add(length, steepness).unwrap();
    }
    let noise = 0.5 / 2.0 * (2.0 + 2.0 + root) + 0.04 * 0.5 * (2.0 + root);
    let gradients = 1.0 + 0.25 + 0.04 * (2.0 + 0.5 * root);
    assert!((tally.point().regret - (noise + gradients + 5.0 * 3_f64.sqrt() / 2.0)).abs() < 1e-12);
    assert_eq!(promise.trivial(), 12.0);
    let rough = Promise {
        constants: Constants { smoothness: f64::INFINITY, ..promise.constants.clone() },
        ..promise.clone()
    };
    assert_eq!(rough.curve(Late, &[3]), Err(Missing::Rough));
    assert!(rough.curve(dpsda::bounds::spread::Central, &[3]).is_ok(), "alone, smoothness is not needed");
    let free =
        Promise { constants: Constants { psi: f64::INFINITY, ..promise.constants.clone() }, ..promise };
    assert_eq!(free.curve(Late, &[3]), Err(Missing::Unbounded));
}

/// A clip shortens gradients, and what it takes away is counted against it.
#[test]
fn the_bias_of_a_clip_is_never_below_what_it_takes_away() {
    for (case, (mechanism, adjacency)) in ["discrete-laplace", "discrete-gaussian"]
        .into_iter()
        .flat_map(|m| [Adjacency::Round, Adjacency::Example].map(|a| (m, a)))
        .enumerate()
    {
        let mut rng = stream(900 + case as u64);
        let (set, loss, samples) = (a_set(SETS[1]), a_loss("logistic"), samples(&mut rng, 12));
        let rows: Vec<usize> = (0..12).collect();
        let all = Batch { samples: &samples, rows: &rows, loss: &*loss };
        let constants = Constants::of(all, 3, &*set, &blocks());
        for clip in [0.05, 0.5, 1.0, 30.0] {
            let mechanism = find(MECHANISMS, "mechanism", mechanism).unwrap();
            let wish = Wish { clip: Some(clip), adjacency, ..Wish::level(mechanism, 1.0) };
            let blocks = blocks();
            let shape = Shape { averages: false, blocks: &blocks, rounds: 4, batch: 3 };
            let plan = Plan::new(wish, &shape).unwrap();
            let signal = Signal::of(&constants, &plan, 0.0).unwrap();
            assert!(
                signal.square <= clip * clip * (1.0 + 1e-12)
                    && signal.square <= constants.gradient.powi(2) * (1.0 + 1e-4), // rounding to the grid
            );
            for _ in 0..200 {
                let at = rng.random_range(0..4) * 3;
                let (f, y) = (Batch { rows: &rows[at..at + 3], ..all }, inside(&*set, &mut rng));
                let (mut away, mut length) = (0.0, 0.0);
                for (i, block) in blocks.iter().enumerate() {
                    let clip = plan.clip(i).unwrap();
                    let per_unit = f64::from(clip.bits).exp2();
                    let (mut units, mut g) = (vec![0; block.len()], vec![0.0; block.len()]);
                    let parts = if adjacency == Adjacency::Round { 1 } else { 3 };
                    for k in 0..parts {
                        match adjacency {
                            Adjacency::Round => f.partial(&y, block.clone(), &mut g),
                            Adjacency::Example => f.example(k, &y, block.clone(), &mut g),
                        }
                        clip.add(&g, &mut units);
                    }
                    f.partial(&y, block.clone(), &mut g);
                    for (g, u) in g.iter().zip(units) {
                        let u = u as f64 / per_unit / parts as f64;
                        away += (g - u).powi(2);
                        length += u * u;
                    }
                }
                assert!(away.sqrt() <= signal.bias, "clip {clip}: {} > {}", away.sqrt(), signal.bias);
                assert!(length <= signal.square * (1.0 + 1e-12), "clip {clip}");
            }
            if clip == 30.0 {
                assert!(signal.bias < 1e-3, "a clip that never bites takes nothing: {}", signal.bias);
            }
        }
    }
}

#[test]
fn noise_that_cancels_is_known_by_its_sums() {
    let blocks = blocks();
    for name in ["tree", "toeplitz"] {
        let wish = Wish { clip: Some(1.0), ..Wish::level(find(MECHANISMS, "mechanism", name).unwrap(), 0.1) };
        let plan =
            Plan::new(wish, &Shape { averages: false, blocks: &blocks, rounds: 100, batch: 1 }).unwrap();
        let constants = Constants {
            sizes: SIZES.to_vec(),
            diameter: 1.0,
            reach: 1.0,
            psi: 1.0,
            gradient: 1.0,
            examples: vec![1.0; 3],
            smoothness: 1.0,
            separable: true,
        };
        let signal = Signal::of(&constants, &plan, 0.0).unwrap();
        let Perturbation::Prefix(deviations) = &signal.noise else { panic!("{name} is not fresh") };
        for t in 1..=100_u64 {
            let known =
                deviations[..=(u64::BITS - t.leading_zeros()) as usize].iter().copied().fold(0.0, f64::max);
            assert!(plan.deviation(t).unwrap() <= known * (1.0 + 1e-12), "{name} {t}");
        }
        let fresh = plan.deviation(1).unwrap();
        assert!(
            deviations.last().unwrap() < &(4.0 * fresh),
            "{name}: far below 10 times, which independent noise has"
        );
    }
    let laplace = Wish::level(find(MECHANISMS, "mechanism", "laplace").unwrap(), 0.5);
    let plan = Plan::new(laplace, &Shape { averages: true, blocks: &blocks, rounds: 9, batch: 1 }).unwrap();
    assert!((plan.deviation(1).unwrap() - 8_f64.sqrt()).abs() < 1e-12, "scale 2: variance 8");
    assert!((plan.deviation(4).unwrap() - 32_f64.sqrt()).abs() < 1e-12);
}
