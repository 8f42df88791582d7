//! Laws over the table of mechanisms.

use dpsda::Blocks;
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
