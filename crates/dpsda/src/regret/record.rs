//! What a search on faces has found so far.

use super::face::Shape;
use super::precision::Goal;
use super::preconditioner::dot;
use super::{Best, REACH};
use crate::set::ConvexSet;

/// The most faces, and the most passes over the rows.
pub(super) const FACES: usize = 60;
pub(super) const PASSES: usize = 3000;

/// A point with its value and gradient.
pub(super) struct SearchPoint {
    pub(super) x: Vec<f64>,
    pub(super) g: Vec<f64>,
    pub(super) value: f64,
    /// How much roundings may have changed the value.
    pub(super) noise: f64,
}

pub(super) struct SearchRecord<'a> {
    pub(super) set: &'a dyn ConvexSet,
    pub(super) shape: Shape,
    pub(super) goal: Goal,
    pub(super) passes: usize,
    /// A lower bound that is wanted in addition, as long as it can be had.
    pub(super) wanted: Option<f64>,
    /// The best lower bound so far.
    lower: f64,
    /// The best point so far, with its gap to this bound. On an unbounded set also the point with the best certificate of its own.
    best: Best,
    local: Best,
}

impl<'a> SearchRecord<'a> {
    /// Nothing is known but a lower bound.
    pub(super) fn new(set: &'a dyn ConvexSet, shape: Shape, goal: Goal, lower: f64) -> Self {
        let (value, gap) = (f64::INFINITY, f64::INFINITY);
        let best = Best { x: Vec::new(), value, gap, iterations: 0, certified: false };
        Self { set, shape, goal, passes: 0, wanted: None, lower, local: best.clone(), best }
    }

    /// Takes in a point. `bound` is the lower bound that follows from the least value of `<g, .>` on the set. Whether the best point is
    /// good enough.
    pub(super) fn note(&mut self, point: &SearchPoint, bound: impl FnOnce(f64) -> f64) -> bool {
        let floor = self.set.floor(&point.g);
        if floor.is_finite() {
            let bound = bound(floor) - point.noise;
            if bound.is_finite() {
                self.lower = self.lower.max(bound);
            }
        } else {
            // Coordinates that a bound holds cannot lower the cost.
            let mut along = point.g.clone();
            self.shape.face(&point.x, &point.g).project(&mut along);
            let gap = norm(&along) * REACH * (1.0 + norm(&point.x)) + point.noise;
            if gap < self.local.gap && point.value.is_finite() {
                self.local = Best { x: point.x.clone(), value: point.value, gap, ..self.local };
            }
        }
        if point.value < self.best.value {
            self.best.value = point.value;
            self.best.x.clone_from(&point.x);
        }
        let gap = self.best.value + point.noise - self.lower;
        self.best.gap = if gap.is_nan() { f64::INFINITY } else { gap.max(0.0) };
        let (value, gap) = (self.answer().value, self.answer().gap);
        let open = |wanted| self.lower < wanted && wanted < self.goal.reach(value);
        self.goal.enough(value, gap, self.passes) && !self.wanted.is_some_and(open)
    }

    /// The answer and the lower bound. Without a finite value, the answer is `start`.
    pub(super) fn finish(self, start: &[f64]) -> (Best, f64) {
        let mut best = self.answer().clone();
        if best.x.is_empty() {
            best.x = start.to_vec();
        }
        best.certified = self.goal.met(best.value, best.gap);
        best.iterations = self.passes;
        (best, self.lower)
    }

    /// The one of `best` and `local` with the smaller gap.
    fn answer(&self) -> &Best {
        if self.local.gap < self.best.gap { &self.local } else { &self.best }
    }
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
