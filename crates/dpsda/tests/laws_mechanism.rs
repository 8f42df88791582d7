//! Laws over the table of mechanisms.

use dpsda::Blocks;
use dpsda::objective::Objective;
use dpsda::privacy::mechanism::{MECHANISMS, Spec};
use dpsda::privacy::plan::{Decide, Noise, Plan, Wish};
use dpsda::privacy::{Ledger, Sensitive};
use dpsda::rng::{Purpose, Seed};

const SPEC: Spec = Spec { node: 0, scale: 1.5 };

fn noised(entry: &dpsda::catalog::Entry<dpsda::privacy::mechanism::Build>, value: f64, t: u64) -> Vec<f64> {
    let mut v = vec![value; 100];
    (entry.build)(SPEC).perturb(&mut v, &mut Seed::default().stream(Purpose::Noise, 0, t));
    v
}

#[test]
fn noise_depends_on_its_name_and_on_nothing_else() {
    for entry in MECHANISMS {
        assert_eq!(noised(entry, 1.0, 3), noised(entry, 1.0, 3), "{}: same stream, same noise", entry.name);
        // Moving the value moves what is released by as much: the noise does not look at it.
        for (a, b) in noised(entry, 0.0, 3).iter().zip(noised(entry, 1.0, 3)) {
            assert!((b - a - 1.0).abs() < 1e-12, "{}: {a} {b}", entry.name);
        }
    }
}

#[test]
fn noise_has_no_bias() {
    for entry in MECHANISMS {
        let draws: Vec<f64> = (0..1000).flat_map(|t| noised(entry, 0.0, t)).collect();
        let n = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / n;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        // Six standard errors: wrong once in 5e8.
        assert!(
            mean.abs() <= 6.0 * (variance / n).sqrt(),
            "{}: mean {mean}, variance {variance}",
            entry.name
        );
    }
}

#[test]
fn a_release_never_costs_less_for_being_more_sensitive() {
    for entry in MECHANISMS {
        let mechanism = (entry.build)(SPEC);
        let price = |s: f64| mechanism.cost(Some(s)).as_epsilon().unwrap_or(f64::INFINITY);
        for pair in [0.0, 0.1, 1.0, 7.0, 1e6].windows(2) {
            assert!(price(pair[0]) <= price(pair[1]), "{}", entry.name);
        }
        assert_eq!(mechanism.cost(None).as_epsilon(), None, "{}: no bound, no epsilon", entry.name);
    }
}

#[test]
fn every_release_writes_the_ledger() {
    let blocks = Blocks::even(4, 2).unwrap();
    for mechanism in MECHANISMS {
        let wish =
            Wish { mechanism, level: 0.5, clip: Some(1.0), noise: Noise::Own, decide: Decide::Published };
        let plan = Plan::new(wish, 1.0, &blocks);
        let (mut guard, mut ledger) = (plan.guard(0, Seed::default()), Ledger::default());
        for t in 0..3 {
            let released = guard.release(guard.bound(Sensitive::nothing(2)), Some(t), t, &mut ledger);
            assert_eq!(released.as_slice().len(), 2);
        }
        assert_eq!(ledger.releases(), 3, "{}", mechanism.name);
        assert_eq!(ledger.per_event(), plan.cost(0), "{}: the ledger and the plan agree", mechanism.name);
    }
}

/// A cost whose gradient is the same everywhere.
struct Slope(Vec<f64>);

impl Objective for Slope {
    fn dim(&self) -> usize {
        self.0.len()
    }

    fn value(&self, x: &[f64]) -> f64 {
        x.iter().zip(&self.0).map(|(x, g)| x * g).sum()
    }

    fn partial(&self, _x: &[f64], block: std::ops::Range<usize>, g: &mut [f64]) {
        g.copy_from_slice(&self.0[block]);
    }
}

/// Definition 3 and (15), with the clip in place of an assumed bound: whatever two costs a round may have, what a node
/// releases moves by at most what its plan says, and the worst pair reaches it.
#[test]
fn replacing_a_cost_moves_a_release_by_at_most_the_sensitivity() {
    let blocks = Blocks::of(&[1, 3], 4).unwrap();
    let mechanism = MECHANISMS.iter().find(|m| m.name == "none").unwrap();
    for gain in [1.0, 2.0] {
        let wish =
            Wish { mechanism, level: 1.0, clip: Some(0.8), noise: Noise::Own, decide: Decide::Published };
        let plan = Plan::new(wish, gain, &blocks);
        for i in 0..2 {
            let released = |slope: f64| {
                let (mut guard, mut ledger) = (plan.guard(i, Seed::default()), Ledger::default());
                let f = Slope(
                    vec![0.0, slope, -slope, slope / 3.0].into_iter().cycle().skip(i).take(4).collect(),
                );
                let secret = guard.bound(Sensitive::gradient(&f, &[0.0; 4], blocks.range(i), &[]));
                guard.release(secret, Some(0), 0, &mut ledger).as_slice().to_vec()
            };
            let mut worst = 0.0_f64;
            for a in [-1e9, -1.0, -0.01, 0.0, 0.01, 1.0, 1e9, f64::INFINITY, f64::NAN] {
                for b in [-1e9, -0.3, 0.0, 1e-9, 0.5, 1e9, f64::NEG_INFINITY] {
                    let moved: f64 = released(a).iter().zip(released(b)).map(|(a, b)| (a - b).abs()).sum();
                    worst = worst.max(moved);
                }
            }
            let bound = plan.sensitivity(i).unwrap();
            assert!(worst <= bound * (1.0 + 1e-12), "node {i}, gain {gain}: {worst} above {bound}");
            assert!(i == 0 || worst > 0.99 * bound, "node {i}, gain {gain}: {worst} never near {bound}");
        }
    }
}
