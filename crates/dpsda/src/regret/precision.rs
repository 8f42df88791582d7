//! How well a best decision must be known.

use super::TOLERANCE;

/// The gap that a best decision may have. It is `cost (1 + |value|)`, and in addition a `share` of what the start of play loses: the
/// mean cost of the projection of zero, less the best lower bound known.
///
/// A learner that never moves has this loss as its regret per round. So it is the size that regrets of this problem have, and a regret
/// needs no digits below a small share of it. It depends on the problem alone, not on the algorithms that are run.
///
/// ```
/// use dpsda::features::{Dense, Samples};
/// use dpsda::loss::Squared;
/// use dpsda::objective::Batch;
/// use dpsda::regret::{Comparator, Precision};
/// use dpsda::set::Free;
/// let samples = Samples::new(Dense::new(vec![1.0, 1.0], 1)?, vec![2.0, 4.0])?;
/// let costs = Batch::new(&samples, &[0, 1], &Squared)?;
/// // At zero the mean cost is 10, at best 1: one percent of the difference is 0.09.
/// let found = Comparator::new(&Free).best(&[&costs], &[0.0], Precision { cost: 0.0, share: 0.01 });
/// assert!(found.certified && found.gap <= 0.09 + found.gap * 0.01);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Relative to `1 + |value|`.
    pub cost: f64,
    /// Relative to the loss at the start of play.
    pub share: f64,
}

impl Precision {
    /// For the last checkpoint, which tables show.
    pub const LAST: Self = Self { cost: TOLERANCE, share: 1e-5 };
    /// For the checkpoints before it, which only curves show.
    pub const BEFORE: Self = Self { cost: TOLERANCE, share: 1e-4 };
}

/// A gap relative to `1 + |value|` alone.
impl From<f64> for Precision {
    fn from(cost: f64) -> Self {
        Self { cost, share: 0.0 }
    }
}

/// A precision, and the mean cost at the start of play that it refers to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    pub(super) precision: Precision,
    pub(super) start: f64,
}

impl Goal {
    /// The gap that an answer of this value may have, if its gap is `gap`.
    pub(super) fn allowed(&self, value: f64, gap: f64) -> f64 {
        let (Precision { cost, share }, lost) = (self.precision, self.start - (value - gap));
        // A share of nothing known is nothing, and so is a share of infinity.
        let share = if share > 0.0 && lost > 0.0 && lost.is_finite() { share * lost } else { 0.0 };
        cost * (1.0 + value.abs()) + share
    }

    pub(super) fn met(&self, value: f64, gap: f64) -> bool {
        gap.is_finite() && gap <= self.allowed(value, gap)
    }
}
