//! The best constrained decision in hindsight, along a trial and over all trials: what regret is measured against.

use std::ops::ControlFlow;
use std::sync::Arc;

use dpsda::cost::CostSequence;
use dpsda::metric::{self, MetricNumbers, Metrics, ModelKind};
use dpsda::regret::{Best, Comparator, Precision, Segments};
use dpsda::set::ConvexSet;
use dpsda_config::Dynamic;
use rayon::prelude::*;

/// The best decisions of one trial at its checkpoints.
pub(crate) struct Hindsight {
    /// Numbers of rounds, and the least mean cost over that many first rounds.
    pub(crate) values: Vec<(u64, f64)>,
    /// The largest certified distance from the true least cost.
    pub(crate) gap: f64,
    /// Whether all distances are within [`Precision::LAST`] or, before the last checkpoint, [`Precision::BEFORE`].
    pub(crate) certified: bool,
    /// The best decision for all rounds.
    pub(crate) last: Best,
    /// The mean cost of the sequence that dynamic regret is measured against.
    pub(crate) sequence: Option<f64>,
    /// Its accuracies and the like: the ceiling of what can be learned.
    pub(crate) scores: MetricNumbers,
}

/// (2) and (19) are measured against these.
pub(crate) fn of_trial(
    costs: &dyn CostSequence,
    checkpoints: &[u64],
    dynamic: Option<&Dynamic>,
    set: &dyn ConvexSet,
    metrics: &Metrics,
    tick: &dyn Fn() -> ControlFlow<()>,
) -> Option<Hindsight> {
    let found = Comparator::new(set).workers(&in_parallel).along(costs, checkpoints, tick)?;
    let values = checkpoints.iter().zip(&found).map(|(rounds, best)| (*rounds, best.value)).collect();
    let mut gap = found.iter().map(|best| best.gap).fold(0.0, f64::max);
    let mut certified = found.iter().all(|best| best.certified);
    let last = found.into_iter().next_back().unwrap_or_else(|| {
        let mut x = vec![0.0; costs.dim()];
        set.project(&mut x);
        Best { x, value: 0.0, gap: 0.0, iterations: 0, certified: true } // without rounds
    });
    let mut sequence_value = None;
    if let (Some(dynamic), Some(rounds)) = (dynamic, checkpoints.last()) {
        let (value, distance, near) = sequence(costs, dynamic, set, *rounds, tick)?;
        (sequence_value, gap) = (Some(value), gap.max(distance));
        certified &= near;
    }
    let scores = scores(metrics, &[(ModelKind::Best, std::slice::from_ref(&last.x))], costs);
    Some(Hindsight { values, gap, certified, last, sequence: sequence_value, scores })
}

/// The mean cost of a sequence of decisions, how far it may be from that of the best one, and whether that is near enough; `None` if
/// it was stopped.
fn sequence(
    costs: &dyn CostSequence,
    dynamic: &Dynamic,
    set: &dyn ConvexSet,
    rounds: u64,
    tick: &dyn Fn() -> ControlFlow<()>,
) -> Option<(f64, f64, bool)> {
    match dynamic {
        Dynamic::Best { segments, borders } => {
            let grid = (*segments, *borders);
            let mut comparator = || Comparator::new(set).workers(&in_parallel);
            match Segments::best_unless_stopped(costs, &mut comparator, rounds, grid, Precision::LAST, tick) {
                Ok(best) => best.map(|best| (best.value, best.gap, best.certified)),
                Err(_) => Some((f64::NAN, f64::INFINITY, false)), // does not happen: both numbers were checked
            }
        }
        Dynamic::Given(each) => {
            let ends = each.iter().skip(1).map(|(first, _)| *first).chain([rounds]);
            let one = |((first, x), end): (&(u64, Vec<f64>), u64)| {
                let (first, end) = (*first.min(&rounds), end.min(rounds));
                let mean = costs.mean(first..end);
                if first < end { (end - first) as f64 * mean.value(&mean.enacted(x)) } else { 0.0 }
            };
            Some((each.iter().zip(ends).map(one).sum::<f64>() / rounds.max(1) as f64, 0.0, true))
        }
    }
}

/// The scores of models on the data of a trial: the samples learned from, and those held out. None if costs have no samples.
pub(crate) fn scores(
    metrics: &Metrics,
    models: &[(ModelKind, &[Vec<f64>])],
    costs: &dyn CostSequence,
) -> MetricNumbers {
    costs.samples().map_or_else(MetricNumbers::default, |data| metric::scores(metrics, models, data))
}

/// (3) is measured against this: the best decision for all trials together, searched from that of one of them.
pub(crate) fn of_trials(
    trials: &[Arc<dyn CostSequence>],
    rounds: u64,
    set: &dyn ConvexSet,
    start: &[f64],
) -> Best {
    let parts: Vec<_> = trials.iter().map(|costs| costs.mean(0..rounds)).collect();
    let parts: Vec<_> = parts.iter().map(|part| &**part).collect();
    Comparator::new(set).workers(&in_parallel).best(&parts, start, Precision::LAST)
}

/// Passes over many samples use the threads that have nothing else to do.
fn in_parallel(count: usize, piece: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(piece);
}
