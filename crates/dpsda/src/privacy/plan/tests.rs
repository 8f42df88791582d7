use std::ops::Range;

use super::*;
use crate::objective::Objective;
use crate::privacy::mechanism::MECHANISMS;

fn wish(mechanism: &str, level: f64, clip: Option<f64>, decide: Decide) -> Wish {
    let mechanism = crate::catalog::find(MECHANISMS, "mechanism", mechanism).unwrap();
    Wish { clip, decide, ..Wish::level(mechanism, level) }
}

fn plan(wish: Wish, averages: bool) -> Result<Plan, Error> {
    let blocks = Blocks::even(21, 7).unwrap();
    Plan::new(wish, &Shape { averages, blocks: &blocks, rounds: 100, batch: 10 })
}

#[test]
fn level_buys_the_same_epsilon_whether_or_not_gradients_are_multiplied_by_n() {
    for name in ["laplace", "discrete-laplace"] {
        let wish = wish(name, 0.5, Some(1.0), Decide::Published);
        let (gossip, relay) = (plan(wish, true).unwrap(), plan(wish, false).unwrap());
        assert!((gossip.scale() - 2.0).abs() < 1e-6 && (relay.scale() - 2.0 / 7.0).abs() < 1e-6);
        // eps = sum_i 2 n C_i / b_i = 2 n C level
        for plan in [gossip, relay] {
            assert!((plan.epsilon().unwrap() - 7.0).abs() < 1e-4, "{:?}", plan.epsilon());
        }
    }
}

#[test]
fn no_bound_no_epsilon() {
    for (name, clip, decide) in [
        ("laplace", None, Decide::Published),
        ("laplace", Some(1.0), Decide::Private),
        ("none", Some(1.0), Decide::Published),
    ] {
        assert_eq!(plan(wish(name, 1.0, clip, decide), true).unwrap().epsilon(), None, "{name} {clip:?}");
    }
    let missing = plan(wish("discrete-laplace", 1.0, None, Decide::Published), false);
    assert!(missing.unwrap_err().to_string().contains("clip"));
}

#[test]
fn a_target_is_reached_and_not_exceeded() {
    for entry in MECHANISMS.iter().filter(|e| !matches!(e.build.build, Build::Nothing)) {
        for adjacency in [Adjacency::Round, Adjacency::Example] {
            for epsilon in [0.2, 1.0, 8.0] {
                let wish = Wish { adjacency, ..Wish::epsilon(entry, epsilon, Some(1e-5), 0.5) };
                let plan = plan(wish, false).unwrap();
                let spent = plan.epsilon().unwrap();
                assert!(spent <= epsilon * (1.0 + 1e-9), "{} {spent} above {epsilon}", entry.name);
                assert!(spent > 0.999 * epsilon, "{} wastes: {spent} of {epsilon}", entry.name);
            }
        }
    }
}

struct Flat;

impl Objective for Flat {
    fn dim(&self) -> usize {
        10
    }

    fn value(&self, _x: &[f64]) -> f64 {
        0.0
    }

    fn partial(&self, _x: &[f64], _block: Range<usize>, g: &mut [f64]) {
        g.fill(0.0);
    }

    fn examples(&self) -> usize {
        1
    }
}

#[test]
fn a_budget_that_ends_before_the_run_is_foretold_to_the_round() {
    for name in ["discrete-laplace", "discrete-gaussian", "tree", "toeplitz"] {
        let entry = crate::catalog::find(MECHANISMS, "mechanism", name).unwrap();
        for lifetime in [2.5, 20.0, 1e6] {
            let budget = Budget { lifetime: Some(lifetime), ..Budget::default() };
            let wish = Wish { budget, ..Wish::epsilon(entry, 1.0, Some(1e-5), 0.5) };
            let blocks = Blocks::even(10, 4).unwrap();
            let shape = Shape { blocks: &blocks, averages: false, rounds: 100, batch: 1 };
            let plan = Plan::metered(wish, &shape).unwrap();
            // As hosts do it: node by node, round by round, each asked before it.
            let released = |i: usize| {
                let mut guard = plan.guard(i, Seed { seed: 1, trial: 0 });
                let (mut ledger, size) = (plan.ledger(), blocks.sizes()[i]);
                let mut may = |t: &u64| {
                    let may = plan.affords(i, &guard.foresee(*t, &ledger));
                    let secret = guard.observe(*t, &Flat, &[0.0; 10], 0..size, &[]);
                    guard.release(secret, *t, &mut ledger);
                    may
                };
                (0..100).take_while(|t| may(t)).count() as u64
            };
            let rounds = (0..4).map(released).min().unwrap();
            assert_eq!(plan.lasts().unwrap_or(100), rounds, "{name} {lifetime}");
            assert_eq!(
                plan.warnings().iter().any(|w| w.contains("lifetime")),
                rounds < 100,
                "{name} {lifetime}"
            );
        }
    }
}

#[test]
fn a_budget_refuses_before_the_first_round() {
    let entry = crate::catalog::find(MECHANISMS, "mechanism", "discrete-laplace").unwrap();
    let with = |budget| plan(Wish { budget, ..Wish::epsilon(entry, 1.0, None, 0.5) }, false);
    let only = Budget::default();
    assert!(with(Budget { event: Some(1.0), lifetime: Some(100.0), ..only }).is_ok());
    for (budget, key) in [
        (Budget { event: Some(0.5), ..only }, "privacy.budget.event"),
        (Budget { lifetime: Some(99.0), ..only }, "privacy.budget.lifetime"),
        (Budget { person: Some(3.0), events_per_person: Some(4), ..only }, "privacy.budget.person"),
    ] {
        let error = with(budget).unwrap_err().to_string();
        assert!(error.contains(key) && error.contains("would spend"), "{error}");
    }
}
