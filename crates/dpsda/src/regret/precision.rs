//! How well a best decision must be known.

use super::TOLERANCE;

/// The gap that a best decision may have. It is `cost (1 + |value|)`, and in addition a `share` of what the start of play loses: the
/// mean cost of the projection of zero, less the best lower bound known.
///
/// A learner that never moves has this loss as its regret per round. So it is the size that regrets of this problem have, and a regret
/// needs no digits below a small share of it. It depends on the problem alone, not on the algorithms that are run.
///
/// The share is for large data, where every digit costs many passes. As long as the work is little, the search goes on until the gap is
/// `cost (1 + |value|)` without the share.
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
/// assert!(found.certified && found.gap <= 0.09 + 0.01 * found.gap);
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
    pub const LAST: Self = Self { cost: TOLERANCE, share: 1e-4 };
    /// For the checkpoints before it, which only curves show.
    pub const BEFORE: Self = Self { cost: TOLERANCE, share: 1e-3 };
}

/// A gap relative to `1 + |value|` alone.
impl From<f64> for Precision {
    fn from(cost: f64) -> Self {
        Self { cost, share: 0.0 }
    }
}

/// This many numbers are read at little cost: in less than a millisecond.
const LITTLE: f64 = 1e6;

/// What is asked for in one problem.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    pub(super) precision: Precision,
    /// The mean cost at the start of play.
    pub(super) start: f64,
    /// How many numbers one pass over the data reads.
    pub(super) size: f64,
}

impl Goal {
    /// Whether an answer with this value and gap is certified.
    pub(super) fn met(&self, value: f64, gap: f64) -> bool {
        let lost = self.start - (value - gap);
        // A share of what is not known is nothing.
        let share = if lost > 0.0 && lost.is_finite() { self.precision.share * lost } else { 0.0 };
        gap.is_finite() && gap <= self.precision.cost * (1.0 + value.abs()) + share
    }

    /// A gap that is certainly small enough at this value.
    pub(super) fn room(&self, value: f64) -> f64 {
        self.precision.cost + self.precision.share * (self.start - value).max(0.0)
    }

    /// The best lower bound that is worth its passes where a point with this value is known: sharper ones take many more.
    pub(super) fn reach(&self, value: f64) -> f64 {
        value - self.room(value) / 4.0
    }

    /// Whether it is good enough after this many passes.
    pub(super) fn enough(&self, value: f64, gap: f64, passes: usize) -> bool {
        let exact = Self { precision: self.precision.cost.into(), ..*self };
        exact.met(value, gap) || passes as f64 * self.size > LITTLE && self.met(value, gap)
    }
}
