//! A cost that does not fit is refused, and nothing has been learned from it.

use std::ops::Range;

use dpsda::learner::ALGORITHMS;
use dpsda::prelude::*;

use crate::{DIM, Data, ROUNDS};

fn fleet(name: &str) -> Box<dyn Fleet> {
    let spec = Spec::new(Blocks::even(DIM, 7).unwrap()).set(Ball::new(2.0).unwrap()).graph(PaperFig2);
    let spec = spec.algorithm(Algorithm::named(name).unwrap()).rounds(ROUNDS);
    spec.privacy(Privacy::level(2.0).mechanism(Laplace)).fleet(Seed::new(4)).unwrap()
}

/// A cost that has a part for all nodes but one, or one part of another size.
struct Odd {
    node: usize,
    part: Option<usize>,
}

impl Objective for Odd {
    fn dim(&self) -> usize {
        DIM
    }

    fn value(&self, x: &[f64]) -> f64 {
        x.iter().sum()
    }

    fn partial(&self, _x: &[f64], _block: Range<usize>, g: &mut [f64]) {
        g.fill(1.0);
    }

    fn part(&self, i: usize, of: usize) -> Option<Box<dyn Objective + '_>> {
        let dim = if i == self.node { self.part? } else { DIM };
        let share = 1.0 / of as f64;
        let value = move |x: &[f64]| share * x.iter().sum::<f64>();
        Some(Box::new(OwnCost::new(dim, value, move |_, g| g.fill(share))))
    }
}

/// All that can be seen of a fleet.
fn seen(fleet: &dyn Fleet, t: u64) -> String {
    let of = |i| (fleet.estimate(i), fleet.dual(i), fleet.staleness(i, t), fleet.ledger(i));
    format!("{:?} {}", (0..fleet.learners()).map(of).collect::<Vec<_>>(), fleet.spent())
}

#[test]
fn a_cost_that_does_not_fit_is_an_error_and_changes_nothing() {
    let data = Data::new();
    let ones = |dim| OwnCost::new(dim, |x| x.iter().sum(), |_, g| g.fill(1.0));
    let (small, large, whole) = (ones(DIM - 1), ones(DIM + 1), ones(DIM));
    let (six, short) = (Odd { node: 6, part: None }, Odd { node: 3, part: Some(2) });
    for entry in ALGORITHMS {
        let mut wrong: Vec<(&dyn Objective, &str)> = vec![
            (&small, "cost = of 13 coordinates: the nodes decide 14 coordinates together"),
            (&large, "cost = of 15 coordinates: the nodes decide 14 coordinates together"),
        ];
        if entry.build.facts.style.splits_costs() {
            wrong.push((&whole, "cost = whole: every node learns from its own part, and this cost has none"));
            wrong.push((&six, "cost = whole: every node learns from its own part"));
            wrong.push((&short, "cost = a part of 2 coordinates: the nodes decide 14"));
        }
        let (mut fleet, mut other) = (fleet(entry.name), fleet(entry.name));
        for t in 0..ROUNDS {
            let before = seen(&*fleet, t);
            for (cost, words) in &wrong {
                let error = fleet.round(t, *cost).unwrap_err().to_string();
                assert!(error.starts_with(words), "{}: {error}", entry.name);
                assert_eq!(seen(&*fleet, t), before, "{}", entry.name);
            }
            let rows = Data::rows(t);
            fleet.round(t, &data.cost(&rows)).unwrap();
            other.round(t, &data.cost(&rows)).unwrap();
        }
        assert_eq!(
            seen(&*fleet, ROUNDS),
            seen(&*other, ROUNDS),
            "{}: nothing was lost on the way",
            entry.name
        );
    }
}

/// Nodes that share one cost need no parts of it.
#[test]
fn a_cost_without_parts_is_good_for_all_who_share_it() {
    let whole = OwnCost::new(DIM, |x| x.iter().sum(), |_, g| g.fill(1.0));
    for entry in ALGORITHMS.iter().filter(|entry| !entry.build.facts.style.splits_costs()) {
        let mut fleet = fleet(entry.name);
        (0..ROUNDS).for_each(|t| fleet.round(t, &whole).unwrap());
        assert!(fleet.decision().iter().sum::<f64>() < -1.0, "{}: {:?}", entry.name, fleet.decision());
    }
}
