//! Lags of the graphs of a run, against explicit products of matrices and ages of copies.

use dpsda::bounds::spread::{Lag, Products, Relayed, Spread};
use dpsda::network::certificate::certify;
use dpsda::network::cycle::Cycle;
use dpsda::network::weights::{Weights, matrix};
use dpsda::network::{Graph, Topology};

use crate::{PROMPT, SIZES, fresh, networks, rule};

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

#[test]
fn relay_lags_are_ages_of_copies() {
    // 0 -> 1 -> 2 -> 0, one link at a time in turn.
    let ring = Cycle::new([(0, 1), (1, 2), (2, 0)].map(|link| Graph::of(3, [link])).to_vec()).unwrap();
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
