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

/// (2) and (19) are measured against these. Each checkpoint starts from the one before. While samples are fewer than coordinates, a
/// decision that fits many samples fits the first of them too, so these checkpoints are taken backwards.
pub(crate) fn of_trial(
    costs: &dyn CostSequence,
    checkpoints: &[u64],
    dynamic: Option<&Dynamic>,
    set: &dyn ConvexSet,
    metrics: &Metrics,
    tick: &dyn Fn() -> ControlFlow<()>,
) -> Option<Hindsight> {
    let samples = |rounds: u64| costs.mean(0..rounds).linear().map_or(usize::MAX, |batch| batch.rows.len());
    let few = checkpoints.partition_point(|rounds| samples(*rounds) <= costs.dim());
    let (few, many) = checkpoints.split_at(few);
    let mut comparator = Comparator::new(set).workers(&in_parallel);
    let (mut values, mut gap, mut certified) = (Vec::new(), 0.0_f64, true);
    let (mut most, mut start) = (None, Vec::new());
    for &rounds in few.iter().rev().chain(many) {
        let last = Some(&rounds) == checkpoints.last();
        if many.first() == Some(&rounds)
            && let Some(Best { x, .. }) = &most
        {
            start.clone_from(x);
        }
        let precision = if last { Precision::LAST } else { Precision::BEFORE };
        let best = comparator.best(&[&*costs.mean(0..rounds)], &start, precision);
        values.push((rounds, best.value));
        gap = gap.max(best.gap);
        certified &= best.certified;
        start.clone_from(&best.x);
        // The one for most rounds so far.
        if most.is_none() || values.iter().all(|(before, _)| *before <= rounds) {
            most = Some(best);
        }
        if tick().is_break() {
            return None;
        }
    }
    values.sort_unstable_by_key(|(rounds, _)| *rounds);
    let last = most.unwrap_or_else(|| {
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
