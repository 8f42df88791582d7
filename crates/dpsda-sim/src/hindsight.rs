//! The best constrained decision in hindsight, along a trial and over all trials: what regret is measured against.

use std::ops::ControlFlow;

use dpsda::loss::Loss;
use dpsda::metric::{self, MetricNumbers, Metrics, ModelKind, TrialData};
use dpsda::objective::Batch;
use dpsda::regret::{Best, Comparator, TOLERANCE, best};
use dpsda::set::ConvexSet;

use dpsda_data::Draw;

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

/// The mean cost of the first `rounds` rounds of a trial.
fn first<'a>(draw: &'a Draw, rounds: u64, batch: usize, loss: &'a dyn Loss) -> Batch<'a> {
    Batch { samples: &draw.samples, rows: &draw.train[..rounds as usize * batch], loss }
}

/// (2) and (19) are measured against these. Each checkpoint starts from the one before.
pub(crate) fn of_trial(
    draw: &Draw,
    checkpoints: &[u64],
    batch: usize,
    loss: &dyn Loss,
    set: &dyn ConvexSet,
    metrics: &Metrics,
    tick: &dyn Fn() -> ControlFlow<()>,
) -> Option<Hindsight> {
    let mut found = Hindsight {
        values: Vec::new(),
        gap: 0.0,
        certified: true,
        last: vec![0.0; draw.samples.features.dim()],
        scores: MetricNumbers::default(),
    };
    set.project(&mut found.last);
    let mut comparator = Comparator::new(set);
    for &rounds in checkpoints {
        let best = comparator.best(&[first(draw, rounds, batch, loss)], &found.last, TOLERANCE);
        found.values.push((rounds, best.value));
        found.gap = found.gap.max(best.gap);
        found.certified &= best.certified;
        found.last = best.x;
        if tick().is_break() {
            return None;
        }
    }
    found.scores = scores(metrics, &[(ModelKind::Best, std::slice::from_ref(&found.last))], draw, loss);
    Some(found)
}

/// The scores of models on the data of a trial: the samples learned from, and those held out.
pub(crate) fn scores(
    metrics: &Metrics,
    models: &[(ModelKind, &[Vec<f64>])],
    draw: &Draw,
    loss: &dyn Loss,
) -> MetricNumbers {
    let on = |rows| Batch { samples: &draw.samples, rows, loss };
    metric::scores(metrics, models, TrialData { train: on(&draw.train), test: on(&draw.test) })
}

/// (3) is measured against this: the best decision for all trials together.
pub(crate) fn of_trials(
    draws: &[Draw],
    rounds: u64,
    batch: usize,
    loss: &dyn Loss,
    set: &dyn ConvexSet,
    start: &[f64],
) -> Best {
    let parts: Vec<_> = draws.iter().map(|draw| first(draw, rounds, batch, loss)).collect();
    best(&parts, set, start, TOLERANCE)
}
