//! The best constrained decision in hindsight, along a trial and over all trials: what regret is measured against.

use std::ops::ControlFlow;

use dpsda::loss::Loss;
use dpsda::objective::Batch;
use dpsda::regret::{Best, Comparator, TOLERANCE, best};
use dpsda::score;
use dpsda::set::ConvexSet;

use dpsda_data::Draw;

/// The best decisions of one trial at its checkpoints.
pub(crate) struct Hindsight {
    /// The least mean cost over the first so many rounds.
    pub(crate) values: Vec<(u64, f64)>,
    /// The largest certified distance from the true least cost.
    pub(crate) gap: f64,
    /// Whether all distances are within [`TOLERANCE`].
    pub(crate) certified: bool,
    /// The best decision for all rounds.
    pub(crate) last: Vec<f64>,
    /// Its accuracies and the like: the ceiling of what can be learned, by the name of their column.
    pub(crate) scores: Vec<(&'static str, f64)>,
}

/// The cost of so many rounds of a trial, as one mean.
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
    tick: &dyn Fn() -> ControlFlow<()>,
) -> Option<Hindsight> {
    let mut found = Hindsight {
        values: Vec::new(),
        gap: 0.0,
        certified: true,
        last: vec![0.0; draw.samples.features.dim()],
        scores: Vec::new(),
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
    if loss.classifies() {
        found.scores = scores(draw, &found.last);
    }
    Some(found)
}

/// How well one decision predicts what was learned from, and what was held out.
fn scores(draw: &Draw, x: &[f64]) -> Vec<(&'static str, f64)> {
    let on = |rows: &[usize]| predictions(draw, rows, x);
    let (train, labels) = on(&draw.train);
    let (test, test_labels) = on(&draw.test);
    let all = [
        ("accuracy_train_best", score::accuracy(&train, &labels)),
        ("accuracy_test_best", score::accuracy(&test, &test_labels)),
        ("auc_test_best", score::auc(&test, &test_labels)),
    ];
    all.into_iter().filter_map(|(name, value)| value.map(|value| (name, value))).collect()
}

/// What a decision predicts for some rows, and their labels.
pub(crate) fn predictions(draw: &Draw, rows: &[usize], x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    rows.iter().map(|&row| (draw.samples.features.dot(row, x), draw.samples.labels[row])).unzip()
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
