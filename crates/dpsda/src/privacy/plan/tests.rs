use std::ops::Range;

use super::*;
use crate::objective::Objective;
use crate::privacy::mechanism::{DiscreteLaplace, MECHANISMS};

fn asked(mechanism: &str, level: f64, clip: Option<f64>, decide: Decide) -> Privacy {
    Privacy { clip, decide, ..Privacy::level(level).mechanism(Mechanism::named(mechanism).unwrap()) }
}

fn plan(asked: Privacy, style: Style) -> Result<Plan, Error> {
    let blocks = Blocks::even(21, 7).unwrap();
    Plan::new(asked, &Extent { style, blocks: &blocks, rounds: 100, batch: 10 })
}

#[test]
fn level_buys_the_same_epsilon_whether_or_not_gradients_are_multiplied_by_n() {
    for name in ["laplace", "discrete-laplace"] {
        let asked = asked(name, 0.5, Some(1.0), Decide::Published);
        let (gossip, relay) =
            (plan(asked.clone(), Style::Average).unwrap(), plan(asked, Style::Relay).unwrap());
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
        let plan = plan(asked(name, 1.0, clip, decide), Style::Average).unwrap();
        assert_eq!(plan.epsilon(), None, "{name} {clip:?}");
    }
    let missing = plan(asked("discrete-laplace", 1.0, None, Decide::Published), Style::Relay);
    assert!(missing.unwrap_err().to_string().contains("clip"));
}

#[test]
fn a_target_is_reached_and_not_exceeded() {
    for mechanism in MECHANISMS.iter().map(|entry| Mechanism::named(entry.name).unwrap()) {
        if mechanism.is_silent() {
            continue;
        }
        for adjacency in [Adjacency::Round, Adjacency::Example, Adjacency::Agent] {
            for epsilon in [0.2, 1.0, 8.0] {
                let asked = Privacy::epsilon(epsilon).delta(1e-5).clip(0.5).adjacency(adjacency);
                let plan = plan(asked.mechanism(mechanism.clone()), Style::Relay).unwrap();
                let spent = plan.epsilon().unwrap();
                assert!(spent <= epsilon * (1.0 + 1e-9), "{mechanism:?} {spent} above {epsilon}");
                assert!(spent > 0.999 * epsilon, "{mechanism:?} wastes: {spent} of {epsilon}");
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
        let mechanism = Mechanism::named(name).unwrap();
        for lifetime in [2.5, 20.0, 1e6] {
            let budget = Budget { lifetime: Some(lifetime), ..Budget::default() };
            let asked = Privacy::epsilon(1.0).delta(1e-5).clip(0.5).budget(budget);
            let blocks = Blocks::even(10, 4).unwrap();
            let extent = Extent { blocks: &blocks, style: Style::Relay, rounds: 100, batch: 1 };
            let plan = Plan::metered(asked.mechanism(mechanism.clone()), &extent).unwrap();
            // As hosts do it: node by node, round by round, each asked before it.
            let released = |i: usize| {
                let mut guard = plan.guard(i, Seed::new(1));
                let (mut ledger, size) = (plan.ledger(), blocks.sizes()[i]);
                let mut may = |t: &u64| {
                    let may = plan.affords(i, &guard.foresee(*t, &ledger));
                    let secret = guard.observe(*t, &plan.seal(&Flat), &[0.0; 10], 0..size, &[]);
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
    let asked = Privacy::epsilon(1.0).clip(0.5).mechanism(DiscreteLaplace);
    let with = |budget| plan(asked.clone().budget(budget), Style::Relay);
    let only = Budget::default();
    assert!(with(Budget { event: Some(1.0), lifetime: Some(100.0), ..only }).is_ok());
    for (budget, key) in [
        (Budget { event: Some(0.5), ..only }, "budget.event"),
        (Budget { lifetime: Some(99.0), ..only }, "budget.lifetime"),
        (Budget { person: Some(3.0), events_per_person: Some(4), ..only }, "budget.person"),
    ] {
        let error = with(budget).unwrap_err().to_string();
        assert!(error.starts_with(key) && error.contains("would spend"), "{error}");
    }
}
