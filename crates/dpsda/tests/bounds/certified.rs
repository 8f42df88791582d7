//! Lags from the constants of a certificate: real ones never beat them, and (34) holds as printed.

use dpsda::bounds::spread::{Certified, Products, Relayed, Spread};
use dpsda::network::Topology;
use dpsda::network::certificate::certify;
use dpsda::network::weights::matrix;

use crate::{PROMPT, SIZES, fresh, networks, rule};

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
