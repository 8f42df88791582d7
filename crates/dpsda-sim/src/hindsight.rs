//! The best constrained decision in hindsight, along a trial and over all trials: what regret is measured against.

use std::ops::ControlFlow;
use std::sync::Arc;

use dpsda::cost::CostSequence;
use dpsda::metric::{self, MetricNumbers, Metrics, ModelKind};
use dpsda::regret::{Best, Comparator, TOLERANCE, best};
use dpsda::set::ConvexSet;

/// The best decisions of one trial at its checkpoints.
pub(crate) struct Hindsight {
    /// Numbers of rounds, and the least mean cost over that many first rounds.
    pub(crate) values: Vec<(u64, f64)>,
    /// The largest certified distance from the true least cost.
    pub(crate) gap: f64,
    /// Whether all distances are within [`TOLERANCE`].
    pub(crate) certified: bool,
    /// The best decision for all rounds.
    pub(crate) last: Vec<f64>,
    /// Its accuracies and the like: the ceiling of what can be learned.
    pub(crate) scores: MetricNumbers,
}

/// (2) and (19) are measured against these. Each checkpoint starts from the one before.
pub(crate) fn of_trial(
    costs: &dyn CostSequence,
    checkpoints: &[u64],
    set: &dyn ConvexSet,
    metrics: &Metrics,
    tick: &dyn Fn() -> ControlFlow<()>,
) -> Option<Hindsight> {
    let mut found = Hindsight {
        values: Vec::new(),
        gap: 0.0,
        certified: true,
        last: vec![0.0; costs.dim()],
        scores: MetricNumbers::default(),
    };
    set.project(&mut found.last);
    let mut comparator = Comparator::new(set);
    for &rounds in checkpoints {
        let best = comparator.best(&[&*costs.mean(0..rounds)], &found.last, TOLERANCE);
        found.values.push((rounds, best.value));
        found.gap = found.gap.max(best.gap);
        found.certified &= best.certified;
        found.last = best.x;
        if tick().is_break() {
            return None;
        }
    }
    found.scores = scores(metrics, &[(ModelKind::Best, std::slice::from_ref(&found.last))], costs);
    Some(found)
}

/// The scores of models on the data of a trial: the samples learned from, and those held out. None if costs have no samples.
pub(crate) fn scores(
    metrics: &Metrics,
    models: &[(ModelKind, &[Vec<f64>])],
    costs: &dyn CostSequence,
) -> MetricNumbers {
    costs.samples().map_or_else(MetricNumbers::default, |data| metric::scores(metrics, models, data))
}

/// (3) is measured against this: the best decision for all trials together.
pub(crate) fn of_trials(
    trials: &[Arc<dyn CostSequence>],
    rounds: u64,
    set: &dyn ConvexSet,
    start: &[f64],
) -> Best {
    let parts: Vec<_> = trials.iter().map(|costs| costs.mean(0..rounds)).collect();
    best(&parts.iter().map(|part| &**part).collect::<Vec<_>>(), set, start, TOLERANCE)
}
