//! The best decisions at many checkpoints of a run, where the costs are squared losses of samples.
//!
//! A checkpoint is a beginning of the run, and all of them lie in the data of the last one. So the last is solved first, and one pass
//! over the data gives value and gradient of its answer at all checkpoints before. Many of them need no more. The others are solved
//! backwards, each from the best point known, and what they find is tried at all that are left.
//!
//! **A bound for several checkpoints.** Let `S_k(x)` be the sum of the losses of the first `k` samples, and no loss be below `l`. Then
//! for `j < k` and every `x` in the set
//!
//! ```text
//! S_k(x) >= S_j(x) + (k - j) l >= min S_j + (k - j) l
//! ```
//!
//! So a bound for a checkpoint gives one for every later checkpoint. If the point known at a checkpoint is good enough, only its proof is
//! missing, and a slightly sharper proof at the checkpoint before serves both.

use std::ops::ControlFlow;

use super::face::Shape;
use super::function::Function as _;
use super::mean::MeanLoss;
use super::precision::Goal;
use super::quadratic::Quadratic;
use super::record::{SearchPoint, SearchRecord};
use super::{Best, Comparator, Precision};
use crate::objective::Batch;

/// From so many numbers on, a checkpoint may wait for the proof of another. Fewer are read so fast that it may have its own.
const MANY: f64 = 2e6;

/// All checkpoints, in their order.
pub(super) struct Checkpoints<'c, 'a> {
    comparator: &'c mut Comparator<'a>,
    /// The samples after the checkpoint before, up to each checkpoint.
    parts: &'c [Batch<'c>],
    /// How many samples there are up to each checkpoint.
    rows: Vec<f64>,
    /// The second derivative of the losses.
    h: f64,
    goals: Vec<Goal>,
    /// The best point known at each checkpoint.
    points: Vec<Option<SearchPoint>>,
    found: Vec<Option<Best>>,
}

impl<'c, 'a> Checkpoints<'c, 'a> {
    /// None if the losses are not squared, or the faces of the set are not known.
    pub(super) fn new(comparator: &'c mut Comparator<'a>, parts: &'c [Batch<'c>]) -> Option<Self> {
        let whole = MeanLoss::new(parts, comparator.workers);
        let h = whole.quadratic()?;
        Shape::of(comparator.set, whole.dim())?;
        let mut rows = Vec::with_capacity(parts.len());
        for part in parts {
            rows.push(rows.last().copied().unwrap_or(0.0) + part.rows.len() as f64);
        }
        if rows.first().is_none_or(|rows| *rows == 0.0) {
            return None;
        }
        let none = |count: usize| (0..count).map(|_| None).collect();
        let (points, found) = (none(parts.len()), parts.iter().map(|_| None).collect());
        let mut all = Self { comparator, parts, rows, h, goals: Vec::new(), points, found };
        all.goals = all.goals();
        Some(all)
    }

    /// What is asked for at each checkpoint.
    fn goals(&self) -> Vec<Goal> {
        let (set, dim) = (self.comparator.set, self.parts[0].samples.features.dim());
        let mut zero = vec![0.0; dim];
        set.project(&mut zero);
        let mut total = 0.0;
        let goal = |(k, rows): (usize, &f64)| {
            let part = self.part(k);
            let mut margins = vec![0.0; part.rows()];
            if zero.iter().any(|x| *x != 0.0) {
                part.margins(&zero, &mut margins);
            }
            total += part.rows() as f64 * part.value(&margins);
            let precision = if k + 1 == self.parts.len() { Precision::LAST } else { Precision::BEFORE };
            Goal { precision, start: total / rows, size: rows * dim as f64 }
        };
        self.rows.iter().enumerate().map(goal).collect()
    }

    /// All answers; none if `tick` breaks.
    pub(super) fn solve(mut self, tick: &dyn Fn() -> ControlFlow<()>) -> Option<Vec<Best>> {
        let mut waiting = None;
        for k in (0..self.parts.len()).rev() {
            if self.seen(k) {
                if let Some(later) = waiting.take() {
                    self.search(later, None);
                }
            } else if waiting.is_none() && self.can_wait(k) {
                waiting = Some(k);
            } else {
                let wanted = waiting.map(|later: usize| self.needed(later) * self.rows[later] / self.rows[k]);
                let lower = self.search(k, wanted);
                if let Some(later) = waiting.take()
                    && !self.serves(k, lower, later)
                {
                    self.search(later, None);
                }
            }
            if tick().is_break() {
                return None;
            }
        }
        self.found.into_iter().collect()
    }

    /// The samples between two checkpoints.
    fn part(&self, k: usize) -> MeanLoss<'c> {
        MeanLoss::new(&self.parts[k..=k], self.comparator.workers)
    }

    fn record(&self, k: usize, whole: &MeanLoss<'_>) -> Option<SearchRecord<'a>> {
        let set = self.comparator.set;
        Some(SearchRecord::new(set, Shape::of(set, whole.dim())?, self.goals[k], whole.least()))
    }

    /// Whether the point known is good enough as it is.
    fn seen(&mut self, k: usize) -> bool {
        let whole = MeanLoss::new(&self.parts[..=k], self.comparator.workers);
        let (Some(point), Some(mut record)) = (&self.points[k], self.record(k, &whole)) else { return false };
        record.passes = 1;
        let mut search = Quadratic::new(&whole, self.h, record);
        if !search.note(point) {
            return false;
        }
        self.found[k] = Some(search.finish(&point.x).0);
        true
    }

    /// Whether the point known may be good enough, and the checkpoint before can prove it.
    fn can_wait(&self, k: usize) -> bool {
        let (Some(point), Some(before)) = (&self.points[k], k.checked_sub(1)) else { return false };
        let Some(earlier) = &self.points[before] else { return false };
        let wanted = self.needed(k) * self.rows[k] / self.rows[before];
        self.goals[k].size > MANY
            && self.comparator.set.floor(&point.g).is_finite()
            && self.goals[k].enough(point.value, self.goals[k].room(point.value), 1)
            && wanted < self.goals[before].reach(earlier.value)
    }

    /// The lower bound that makes the point known at a checkpoint good enough.
    fn needed(&self, k: usize) -> f64 {
        let Some(point) = &self.points[k] else { return f64::INFINITY };
        point.value + 2.0 * point.noise - self.goals[k].room(point.value)
    }

    /// Whether a bound on the costs at `k` proves that the point known at the `later` checkpoint is good enough.
    fn serves(&mut self, k: usize, lower: f64, later: usize) -> bool {
        let Some(point) = &self.points[later] else { return false };
        let (share, least) = (self.rows[k] / self.rows[later], self.part(later).least());
        let lower = share * lower + (1.0 - share) * least;
        let gap = (point.value + 2.0 * point.noise - lower).max(0.0);
        let goal = &self.goals[later];
        if !goal.enough(point.value, gap, 1) {
            return false;
        }
        let certified = goal.met(point.value, gap);
        self.found[later] =
            Some(Best { x: point.x.clone(), value: point.value, gap, iterations: 1, certified });
        true
    }

    /// Solves a checkpoint, and tries what it finds at all before. Goes on until the lower bound is `wanted`, if that can be had. Returns
    /// the bound.
    fn search(&mut self, k: usize, wanted: Option<f64>) -> f64 {
        let parts = self.parts;
        let whole = MeanLoss::new(&parts[..=k], self.comparator.workers);
        let Some(mut record) = self.record(k, &whole) else { return f64::NEG_INFINITY };
        record.wanted = wanted;
        let goal = self.goals[k];
        let mut search = Quadratic::new(&whole, self.h, record);
        let start = self.points[k].take().unwrap_or_else(|| {
            let mut zero = vec![0.0; whole.dim()];
            self.comparator.set.project(&mut zero);
            search.at(zero)
        });
        let (mut best, mut lower) = search.solve(start);
        if best.certified
            && !goal.enough(best.value, best.gap, best.iterations)
            && let Some(record) = self.record(k, &whole)
        {
            // It gave up, though more was cheap. From elsewhere it meets other faces.
            let mut again = Quadratic::new(&whole, self.h, record);
            let mut zero = vec![0.0; whole.dim()];
            self.comparator.set.project(&mut zero);
            let zero = again.at(zero);
            let (other, bound) = again.solve(zero);
            lower = lower.max(bound);
            if other.gap < best.gap {
                best = other;
            }
        }
        if !best.certified {
            (best, lower) =
                (self.comparator.descend(whole, &best.x, lower, goal), f64::NEG_INFINITY.max(lower));
        }
        self.show(&best.x, k);
        self.found[k] = Some(best);
        lower
    }

    /// Value and gradient of a point at all checkpoints before `end` that have no answer yet, in one pass.
    fn show(&mut self, x: &[f64], end: usize) {
        let open: Vec<usize> = (0..end).filter(|k| self.found[*k].is_none()).collect();
        let Some(last) = open.last() else { return };
        let (mut value, mut noise, mut g) = (0.0, 0.0, vec![0.0; x.len()]);
        for k in 0..=*last {
            let (part, mut slope) = (self.part(k), vec![0.0; x.len()]);
            let plane = part.at(x, &mut vec![0.0; part.rows()], &mut slope);
            let rows = part.rows() as f64;
            value += rows * plane.value;
            noise += rows * (plane.noise + f64::EPSILON * plane.value.abs());
            g.iter_mut().zip(&slope).for_each(|(g, slope)| *g += rows * slope);
            let all = self.rows[k];
            let better = |known: &SearchPoint| value / all < known.value;
            if self.found[k].is_none() && self.points[k].as_ref().is_none_or(better) {
                let g = g.iter().map(|g| g / all).collect();
                self.points[k] =
                    Some(SearchPoint { x: x.to_vec(), g, value: value / all, noise: noise / all });
            }
        }
    }
}
