//! The comparator of (2) and (3): the best constrained decision in hindsight, found and *certified*.
//!
//! The cost of all rounds together is a mean of convex losses of margins `s = A x`. For any points `p_i` and
//! subgradients `u_i` there,
//!
//! ```text
//! f(x') >= mean[ phi_i(p_i) + u_i (a_i.x' - p_i) ]  for every x', so
//! min f >= mean[ phi_i(p_i) - u_i p_i ] + min <g, x'> over the set,   g = mean u_i a_i
//! ```
//!
//! With `p_i = a_i.x` the difference between `f(x)` and this bound is the Frank-Wolfe gap at `x`. Every method here computes `g` in every
//! step anyway. So its answer comes with a certificate at no cost, and it stops when the gap is small enough ([`Precision`]).
//!
//! Of any other cost, only values and gradients are known. Then `f(x') >= f(x) + <g, x' - x>` for every `x'`, and the certificate is the
//! same: the least value of a linear function on the set.

use std::ops::ControlFlow;

use crate::cost::CostSequence;
use crate::objective::{Batch, Objective};
use crate::set::ConvexSet;
use face::Shape;
use function::Function;
use newton::Newton;
use precision::Goal;
use preconditioner::Preconditioner;
use quadratic::Quadratic;
use record::SearchRecord;

mod along;
mod descent;
mod eigen;
mod face;
mod function;
mod general;
mod mean;
mod newton;
mod pass;
mod precision;
mod preconditioner;
mod quadratic;
mod record;
mod segments;
mod sketch;
mod solver;

pub use precision::Precision;
pub use segments::{MAX_BORDERS, Segments};

/// How pieces of work are done: it is given their number, and a function that does one of them. It calls the function once per piece,
/// in any order and on any threads. Results do not depend on it.
pub type Workers<'a> = dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Sync + 'a;

/// Does one piece after the other.
fn one_by_one(count: usize, piece: &(dyn Fn(usize) + Sync)) {
    (0..count).for_each(piece);
}

/// The usual tolerance: the gap relative to `1 + f`. Regrets per round are usually between 0.01 and 10 and shown with three or four
/// digits. The error of the comparator is then usually below the last digit shown.
pub const TOLERANCE: f64 = 1e-6;

/// On an unbounded set a linear function may have no minimum. The certificate then covers only the decisions of the set that
/// are within `REACH (1 + |x|)` of the answer `x`.
pub const REACH: f64 = 10.0;

/// A decision, and a bound on how far it is from the best.
///
/// ```
/// use dpsda::features::{Dense, Samples};
/// use dpsda::loss::Squared;
/// use dpsda::objective::{Batch, Objective};
/// use dpsda::regret::{TOLERANCE, best};
/// use dpsda::set::Cuboid;
/// let samples = Samples::new(Dense::new(vec![1.0, 1.0], 1)?, vec![2.0, 4.0])?;
/// let costs = Batch::new(&samples, &[0, 1], &Squared)?;
/// let found = best(&[&costs], &Cuboid::new(-1.0, 1.0)?, &[0.0], TOLERANCE); // 3 would be best, but is outside
/// assert!(found.certified && (found.x[0] - 1.0).abs() < 1e-3);
/// let regret = 2.0 * (costs.value(&[0.0]) - found.value); // of two rounds at x = 0
/// assert!((regret - 10.0).abs() <= 2.0 * found.gap + 1e-9);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// The decision, inside the set.
    pub x: Vec<f64>,
    /// Its mean cost.
    pub value: f64,
    /// No decision (see [`REACH`]) has a mean cost below `value - gap`.
    pub gap: f64,
    /// Gradient steps taken, or passes over the samples.
    pub iterations: usize,
    /// Whether the gap is as small as the [`Precision`] asks for. If not, the solver gave up; `gap` is still a valid bound.
    pub certified: bool,
}

/// The decision in `set` with the least mean cost over `parts`, which must have the same dimension. If all parts are mean losses
/// of samples, every sample has the same weight. Otherwise every part has the same weight. `start` is any point; a good one is the
/// answer for fewer rounds.
///
/// Smooth losses of samples on a box, on a ball or without a constraint are solved by Newton's method on faces of the set, everything
/// else by accelerated projected gradients with backtracking and restarts. Losses with kinks are smoothed, less and less. Other costs
/// with kinks are not smoothed. For these the solver may stop with a gap that is too large, and `certified` is then false. The same input
/// gives the same bits.
///
/// ```
/// use dpsda::features::{Dense, Samples};
/// use dpsda::loss::Squared;
/// use dpsda::objective::Batch;
/// use dpsda::regret::{TOLERANCE, best};
/// use dpsda::set::Free;
/// let samples = Samples::new(Dense::new(vec![1.0, 1.0], 1)?, vec![2.0, 4.0])?;
/// let all = Batch { samples: &samples, rows: &[0, 1], loss: &Squared };
/// let found = best(&[&all], &Free, &[0.0], TOLERANCE); // min (x - 2)^2/2 + (x - 4)^2/2
/// assert!(found.certified && (found.x[0] - 3.0).abs() < 1e-2 && (found.value - 1.0).abs() < 1e-5);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn best(parts: &[&dyn Objective], set: &dyn ConvexSet, start: &[f64], tolerance: f64) -> Best {
    Comparator::new(set).best(parts, start, tolerance)
}

/// [`best`] for a sequence of similar functions, such as the mean costs of more and more rounds. It keeps what it learned about their
/// shape, and it can share the work among threads.
///
/// ```
/// use dpsda::features::{Dense, Samples};
/// use dpsda::loss::Squared;
/// use dpsda::objective::Batch;
/// use dpsda::regret::{Comparator, TOLERANCE};
/// use dpsda::set::Ball;
/// let samples = Samples::new(Dense::new(vec![1.0, 1.0], 1)?, vec![2.0, 4.0])?;
/// let rounds = |rows| Batch { samples: &samples, rows, loss: &Squared };
/// let ball = Ball::new(10.0)?;
/// let mut comparator = Comparator::new(&ball);
/// let first = comparator.best(&[&rounds(&[0])], &[0.0], TOLERANCE);
/// let both = comparator.best(&[&rounds(&[0, 1])], &first.x, TOLERANCE);
/// assert!(both.certified && both.gap <= TOLERANCE * (1.0 + both.value));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Comparator<'a> {
    set: &'a dyn ConvexSet,
    workers: &'a Workers<'a>,
    preconditioner: Preconditioner,
}

impl<'a> Comparator<'a> {
    /// A comparator that has not seen a function yet.
    pub fn new(set: &'a dyn ConvexSet) -> Self {
        Self { set, workers: &one_by_one, preconditioner: Preconditioner::identity() }
    }

    /// The same, but passes over many samples are cut into pieces that `workers` do.
    #[must_use]
    pub fn workers(mut self, workers: &'a Workers<'a>) -> Self {
        self.workers = workers;
        self
    }

    /// As [`best`]. All functions must have the same dimension. An answer may depend on the earlier functions, but its gap is always
    /// valid.
    pub fn best(&mut self, parts: &[&dyn Objective], start: &[f64], precision: impl Into<Precision>) -> Best {
        let precision = precision.into();
        let linear: Option<Vec<Batch<'_>>> = parts.iter().map(|part| part.linear()).collect();
        let Some(batches) = linear else {
            return self.solve(general::General::new(parts), start, precision);
        };
        let mean = mean::MeanLoss::new(&batches, self.workers);
        let shape = Shape::of(self.set, mean.dim()).filter(|_| mean.rows() > 0 && !mean.kinked());
        let Some(shape) = shape else { return self.solve(mean, start, precision) };
        let (goal, x) = self.begin(&mean, start, precision);
        let record = SearchRecord::new(self.set, shape, goal, mean.least());
        let (found, lower) = match mean.quadratic() {
            Some(h) => {
                let mut search = Quadratic::new(&mean, h, record);
                let start = search.at(x);
                search.solve(start)
            }
            None => Newton::new(&mean, record).solve(&x),
        };
        if found.certified { found } else { self.descend(mean, &found.x, lower, goal) }
    }

    /// The best decisions for the first rounds of a run, one for each number of rounds in `checkpoints`, which rise. The last one is as
    /// good as [`Precision::LAST`] says, the others as [`Precision::BEFORE`] says. None if `tick` breaks; it is asked after each.
    ///
    /// Each answer helps to find the others. Squared losses are solved from the last checkpoint to the first. For other costs a
    /// checkpoint starts from the one before. But while samples are fewer than coordinates, a decision that fits many samples fits the
    /// first of them too, so these checkpoints are taken backwards.
    ///
    /// ```
    /// use std::{ops::ControlFlow, sync::Arc};
    /// use dpsda::cost::samples::SampleCosts;
    /// use dpsda::features::{Dense, Samples};
    /// use dpsda::loss::Squared;
    /// use dpsda::regret::Comparator;
    /// use dpsda::set::Cuboid;
    /// let samples = Samples::new(Dense::new(vec![1.0; 4], 1)?, vec![1.0, 3.0, 2.0, 2.0])?;
    /// let costs = SampleCosts::new(Arc::new(samples), (0..4).collect(), vec![], Arc::new(Squared), 1)?;
    /// let set = Cuboid::new(-5.0, 5.0)?;
    /// let found = Comparator::new(&set).along(&costs, &[1, 2, 4], &|| ControlFlow::Continue(())).unwrap();
    /// let values: Vec<f64> = found.iter().map(|best| best.value).collect();
    /// assert!((values[0] - 0.0).abs() < 1e-5 && (values[1] - 1.0).abs() < 1e-5 && (values[2] - 0.5).abs() < 1e-5);
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn along(
        &mut self,
        costs: &dyn CostSequence,
        checkpoints: &[u64],
        tick: &dyn Fn() -> ControlFlow<()>,
    ) -> Option<Vec<Best>> {
        let starts = std::iter::once(0).chain(checkpoints.iter().copied());
        let parts: Vec<_> = starts.zip(checkpoints).map(|(from, to)| costs.mean(from..*to)).collect();
        let batches: Option<Vec<Batch<'_>>> = parts.iter().map(|part| part.linear()).collect();
        if let Some(batches) = &batches
            && let Some(all) = along::Checkpoints::new(self, batches)
        {
            return all.solve(tick);
        }
        let samples =
            |rounds: u64| costs.mean(0..rounds).linear().map_or(usize::MAX, |batch| batch.rows.len());
        let few = checkpoints.partition_point(|rounds| samples(*rounds) <= costs.dim());
        let mut found: Vec<Option<Best>> = vec![None; checkpoints.len()];
        for k in (0..few).rev().chain(few..checkpoints.len()) {
            let known = if k < few { found.get(k + 1) } else { k.checked_sub(1).and_then(|k| found.get(k)) };
            let start = known.and_then(Option::as_ref).map_or_else(Vec::new, |best| best.x.clone());
            let precision = if k + 1 == checkpoints.len() { Precision::LAST } else { Precision::BEFORE };
            found[k] = Some(self.best(&[&*costs.mean(0..checkpoints[k])], &start, precision));
            if tick().is_break() {
                return None;
            }
        }
        found.into_iter().collect()
    }

    fn solve(&mut self, function: impl Function, start: &[f64], precision: Precision) -> Best {
        let (goal, x) = self.begin(&function, start, precision);
        if function.rows() == 0 {
            return Best { x, value: 0.0, gap: 0.0, iterations: 0, certified: true };
        }
        let lower = function.least();
        self.descend(function, &x, lower, goal)
    }

    /// What is asked for, and the point of the set nearest to `start`.
    fn begin(&self, function: &impl Function, start: &[f64], precision: Precision) -> (Goal, Vec<f64>) {
        let mut zero = vec![0.0; function.dim()];
        self.set.project(&mut zero);
        let mut margins = vec![0.0; function.rows()];
        if precision.share > 0.0 && zero.iter().any(|x| *x != 0.0) {
            function.margins(&zero, &mut margins);
        }
        let at_start = if precision.share > 0.0 { function.value(&margins) } else { 0.0 };
        let mut x = start.to_vec();
        x.resize(function.dim(), 0.0);
        self.set.project(&mut x);
        (Goal { precision, start: at_start, size: function.size() }, x)
    }

    /// The general method.
    fn descend(&mut self, function: impl Function, start: &[f64], lower: f64, goal: Goal) -> Best {
        let preconditioner = std::mem::replace(&mut self.preconditioner, Preconditioner::identity());
        let (best, preconditioner) =
            solver::Solver::new(function, self.set, start, lower, preconditioner).run(goal);
        self.preconditioner = preconditioner;
        best
    }
}

/// `count` checkpoints, rising from 1 to `rounds` and evenly spaced in their logarithms as far as whole numbers allow. If there
/// are at most `count` rounds, every round is one. A `count` of 1 or 0 gives the last round only.
///
/// ```
/// use dpsda::regret::checkpoints;
/// assert_eq!(checkpoints(500, 7), [1, 3, 8, 22, 63, 177, 500]);
/// assert_eq!(checkpoints(3, 7), [1, 2, 3]);
/// ```
pub fn checkpoints(rounds: u64, count: usize) -> Vec<u64> {
    let count = (count.max(1) as u64).min(rounds);
    let mut last = 0;
    (1..=count)
        .map(|k| {
            let share = if count == 1 { 1.0 } else { (k - 1) as f64 / (count - 1) as f64 };
            let even = (rounds as f64).powf(share).round() as u64;
            last = even.max(last + 1).min(rounds - (count - k)); // leave room for the checkpoints before and after
            last
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_rise_from_one_to_the_last_round() {
        for rounds in (0..200).chain([1 << 20, u64::MAX >> 12]) {
            for count in [0, 1, 2, 3, 7, 40, 150] {
                let points = checkpoints(rounds, count);
                assert_eq!(points.len() as u64, rounds.min(count.max(1) as u64), "{rounds} {count}");
                assert!(points.windows(2).all(|w| w[0] < w[1]), "{rounds} {count}: {points:?}");
                assert_eq!(points.last().copied(), (rounds > 0).then_some(rounds));
                assert!(points.len() < 2 || points[0] == 1);
            }
        }
    }
}
