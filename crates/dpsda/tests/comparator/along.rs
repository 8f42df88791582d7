//! Best decisions at all checkpoints of a run, against those found one by one.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

use dpsda::cost::CostSequence;
use dpsda::cost::samples::SampleCosts;
use dpsda::loss::{Huber, Loss, Squared};
use dpsda::regret::{Best, Comparator, Precision, best, checkpoints};
use dpsda::set::{ConvexSet, Cuboid};

use crate::Opaque;
use crate::faces::{samples, sets};

fn costs(rows: usize, dim: usize, batch: usize, loss: Arc<dyn Loss>, case: u64) -> SampleCosts {
    let samples = Arc::new(samples(rows, dim, 1.0, loss.classifies(), case));
    SampleCosts::new(samples, (0..rows).collect(), vec![], loss, batch).unwrap()
}

fn along(costs: &dyn CostSequence, set: &dyn ConvexSet, points: &[u64]) -> Vec<Best> {
    Comparator::new(set).along(costs, points, &|| ControlFlow::Continue(())).unwrap()
}

/// Whether an answer is as good as its precision asks for, by the cost at the start of play.
fn good(costs: &dyn CostSequence, set: &dyn ConvexSet, rounds: u64, last: bool, found: &Best) -> bool {
    let Precision { cost, share } = if last { Precision::LAST } else { Precision::BEFORE };
    let mut start = vec![0.0; costs.dim()];
    set.project(&mut start);
    let lost = costs.mean(0..rounds).value(&start) - (found.value - found.gap);
    found.certified && found.gap <= cost * (1.0 + found.value) + share * lost.max(0.0) + 1e-12
}

#[test]
fn every_checkpoint_has_an_honest_answer() {
    // Fewer samples than coordinates at first, and more at the end.
    for (rows, dim, batch) in [(60, 12, 1), (240, 12, 4), (30, 12, 3)] {
        for loss in [Arc::new(Squared) as Arc<dyn Loss>, Arc::new(Huber::new(0.5).unwrap())] {
            let costs = costs(rows, dim, batch, loss, 600 + rows as u64);
            let points = checkpoints(costs.rounds(), 9);
            for (name, set) in sets() {
                let found = along(&costs, &*set, &points);
                assert_eq!(found.len(), points.len());
                for (rounds, found) in points.iter().zip(&found) {
                    let mean = costs.mean(0..*rounds);
                    let name = format!("{name}, {rounds} of {rows} rows");
                    assert!(
                        good(&costs, &*set, *rounds, Some(rounds) == points.last(), found),
                        "{name}: {found:?}"
                    );
                    let mut inside = found.x.clone();
                    set.project(&mut inside);
                    assert!(
                        inside.iter().zip(&found.x).all(|(a, b)| (a - b).abs() < 1e-11),
                        "{name}: outside"
                    );
                    let again = mean.value(&found.x);
                    assert!(
                        (again - found.value).abs() <= 1e-10 * (1.0 + again),
                        "{name}: {again} {found:?}"
                    );
                    let alone = best(&[&*mean], &Opaque(&*set), &[], 1e-7);
                    let slack = 1e-10 * (1.0 + again);
                    assert!(
                        alone.value >= found.value - found.gap - slack,
                        "{name}: {} {found:?}",
                        alone.value
                    );
                    assert!(
                        found.value >= alone.value - alone.gap - slack,
                        "{name}: {} {alone:?}",
                        found.value
                    );
                }
            }
        }
    }
}

/// Large enough that answers need only be as good as regrets ask for, and that a proof serves two checkpoints.
#[test]
fn answers_of_large_data_are_as_good_as_asked_for() {
    let costs = costs(10_000, 400, 100, Arc::new(Squared), 700);
    let points = checkpoints(costs.rounds(), 20);
    let set = Cuboid::new(-5.0, 5.0).unwrap();
    let found = along(&costs, &set, &points);
    let mut shared = 0;
    for (rounds, found) in points.iter().zip(&found) {
        assert!(good(&costs, &set, *rounds, *rounds == 100, found), "{rounds}: {found:?}");
        let exact = best(&[&*costs.mean(0..*rounds)], &set, &found.x, 1e-7);
        assert!(
            exact.certified && exact.value >= found.value - found.gap - 1e-10,
            "{rounds}: {exact:?} {found:?}"
        );
        assert!(found.value >= exact.value - exact.gap - 1e-10, "{rounds}: {exact:?} {found:?}");
        shared += usize::from(found.iterations == 1);
    }
    assert!(shared > 0, "a proof at one checkpoint serves the next");
}

#[test]
fn it_stops_when_it_is_told_to_and_runs_without_rounds_have_no_answers() {
    for loss in [Arc::new(Squared) as Arc<dyn Loss>, Arc::new(Huber::new(0.5).unwrap())] {
        let costs = costs(60, 5, 1, loss, 800);
        let (set, asked) = (Cuboid::new(-1.0, 1.0).unwrap(), Cell::new(0));
        let tick = || {
            asked.set(asked.get() + 1);
            if asked.get() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        assert_eq!(Comparator::new(&set).along(&costs, &checkpoints(60, 9), &tick), None);
        assert_eq!(asked.get(), 3);
        assert_eq!(along(&costs, &set, &[]), []);
    }
}
