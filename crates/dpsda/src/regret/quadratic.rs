//! Squared losses on boxes and balls: conjugate gradients on faces.
//!
//! The cost is `F(x) = h |A x - b|^2/(2m)`. A step `d` changes its gradient by `H d`, and its value by `<g + g', d>/2`. So one pass
//! over the rows gives value, gradient and certificate of the next point. The residuals `A x - b`, times any `theta >= 0`, give a plane
//! below the losses, so for every `x'` in the set
//!
//! ```text
//! F(x') >= theta a - theta^2 F,   a = 2 F - <g, x> + min <g, .>
//! ```
//!
//! and if `a` is positive, the best `theta` gives `F(x') >= a^2/(4 F)`.

use super::descent::{Step, descend};
use super::face::{Face, Shape};
use super::function::Function as _;
use super::mean::{MeanLoss, Weights};
use super::precision::Goal;
use super::preconditioner::{add, dot};
use super::{Best, REACH};
use crate::set::ConvexSet;

/// The most faces, and the most passes over the rows.
const FACES: usize = 60;
const PASSES: usize = 3000;
/// What may be left of the gradient along a face if the minimum along the face is not in the set: the face will change. On a sphere
/// the face changes with every step, but less and less.
const ROUGH: f64 = 0.1;
const ROUGH_ON_SPHERE: f64 = 0.02;
/// The error of one rounding, with a reserve for sums.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

pub(super) struct Quadratic<'a> {
    mean: &'a MeanLoss<'a>,
    set: &'a dyn ConvexSet,
    shape: Shape,
    /// The second derivative of the losses.
    h: f64,
    goal: Goal,
    /// The best lower bound so far, the best point, and the number of passes.
    lower: f64,
    best: Best,
    /// On an unbounded set, the point with the best certificate of its own.
    local: Best,
    passes: usize,
    margins: Vec<f64>,
}

/// A point with its value and gradient.
struct Point {
    x: Vec<f64>,
    g: Vec<f64>,
    value: f64,
    /// How much roundings may have changed the value.
    noise: f64,
}

impl<'a> Quadratic<'a> {
    pub(super) fn new(mean: &'a MeanLoss<'a>, set: &'a dyn ConvexSet, shape: Shape, h: f64, goal: Goal) -> Self {
        let best = Best { x: Vec::new(), value: f64::INFINITY, gap: f64::INFINITY, iterations: 0, certified: false };
        let margins = vec![0.0; mean.rows()];
        Self { mean, set, shape, h, goal, lower: mean.least(), local: best.clone(), best, passes: 0, margins }
    }

    /// The best decision, searched from `start`, a point of the set, and a lower bound on all costs. If the decision is not certified,
    /// this method cannot find a better one.
    pub(super) fn solve(mut self, start: &[f64]) -> (Best, f64) {
        let mut now = self.at(start.to_vec());
        self.best.x.clone_from(&now.x);
        let mut idle = 0;
        for _ in 0..FACES {
            if self.judge(&now) || self.passes > PASSES {
                break;
            }
            let Some(next) = self.along_face(&now) else { break };
            // Without progress, roundings are as large as what is left.
            idle = if next.value < now.value { 0 } else { idle + 1 };
            now = if idle == 1 { self.at(next.x) } else { next };
            if idle > 1 {
                break;
            }
        }
        let answer = self.answer();
        let certified = self.goal.met(answer.value, answer.gap);
        (Best { certified, iterations: self.passes, ..answer.clone() }, self.lower)
    }

    /// Value and gradient from the rows.
    fn at(&mut self, x: Vec<f64>) -> Point {
        self.passes += 1;
        let mut g = vec![0.0; x.len()];
        let plane = self.mean.at(&x, &mut self.margins, &mut g);
        Point { x, g, value: plane.value, noise: plane.noise }
    }

    /// The point after a step `way` with the image `H way`.
    fn after(&self, now: &Point, way: &[f64], image: &[f64]) -> Point {
        let x = sum(&now.x, way);
        let g = sum(&now.g, image);
        let change = (dot(&now.g, way) + dot(&g, way)) / 2.0;
        let noise = now.noise + ROUNDING * (now.value.abs() + change.abs());
        Point { x, g, value: (now.value + change).max(0.0), noise }
    }

    /// Updates the bounds and the best point. Whether that is good enough.
    fn judge(&mut self, point: &Point) -> bool {
        let floor = self.set.floor(&point.g);
        let mut gap = f64::INFINITY; // of this point by itself
        if floor.is_finite() {
            let a = 2.0 * point.value - dot(&point.g, &point.x) + floor;
            let bound = if a > 0.0 && point.value > 0.0 { a / (4.0 * point.value) * a } else { 0.0 };
            if bound.is_finite() {
                self.lower = self.lower.max(bound - point.noise);
            }
        } else {
            // Coordinates that a bound holds only raise the cost of any other decision.
            let mut along = point.g.clone();
            self.shape.face(&point.x, &point.g).project(&mut along);
            gap = norm(&along) * REACH * (1.0 + norm(&point.x));
        }
        if point.value < self.best.value {
            self.best.value = point.value;
            self.best.x.clone_from(&point.x);
        }
        self.best.gap = gap_to(self.best.value + point.noise, self.lower);
        if gap < self.local.gap {
            self.local = Best { x: point.x.clone(), value: point.value, gap, ..self.local };
        }
        let answer = self.answer();
        self.goal.enough(answer.value, answer.gap, self.passes)
    }

    /// The one of `best` and `local` with the smaller gap.
    fn answer(&self) -> &Best {
        if self.local.gap < self.best.gap { &self.local } else { &self.best }
    }

    /// A better point along the face of `now`, or nearly along it.
    fn along_face(&mut self, now: &Point) -> Option<Point> {
        let face = self.shape.face(&now.x, &now.g);
        let step = self.descend(now, &face)?;
        let whole = self.after(now, &step.way, &step.image);
        if self.shape.contains(&whole.x) {
            return Some(whole);
        }
        let falls = |next: &Point, way: &[f64]| next.value <= now.value + 1e-4 * dot(&now.g, way);
        for part in [1.0, 0.25, 0.0625] {
            let mut x = now.x.clone();
            add(&mut x, part, &step.way);
            self.set.project(&mut x);
            let way: Vec<f64> = x.iter().zip(&now.x).map(|(x, from)| x - from).collect();
            let mut image = vec![0.0; way.len()];
            self.product(&way, &mut image);
            let mut next = self.after(now, &way, &image);
            next.x = x; // to the last bit in the set
            if falls(&next, &way) {
                return Some(next);
            }
        }
        let reach = self.shape.reach(&now.x, &step.way);
        let scaled = |v: &[f64]| v.iter().map(|v| reach * v).collect::<Vec<f64>>();
        let mut next = self.after(now, &scaled(&step.way), &scaled(&step.image));
        self.set.project(&mut next.x);
        (reach > 0.0).then_some(next)
    }

    fn descend(&mut self, now: &Point, face: &Face<'_>) -> Option<Step> {
        let sphere = matches!(self.shape, Shape::Radius(_));
        let rough = if matches!(face, Face::Tangent { .. }) { ROUGH_ON_SPHERE } else { ROUGH };
        let (mean, h, mut margins) = (self.mean, self.h, std::mem::take(&mut self.margins));
        let product = |p: &[f64], image: &mut [f64]| mean.curve(Weights::All(h), p, &mut margins, image);
        let step = descend(&now.g, face, product, |step, left| {
            self.passes += 1;
            let next = self.after(now, &step.way, &step.image);
            if self.shape.contains(&next.x) {
                self.judge(&next) || self.passes > PASSES
            } else {
                left <= rough || sphere && matches!(face, Face::Whole)
            }
        });
        self.margins = margins;
        step
    }

    fn product(&mut self, p: &[f64], image: &mut [f64]) {
        self.passes += 1;
        self.mean.curve(Weights::All(self.h), p, &mut self.margins, image);
    }
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// `value - lower`, never negative; infinite if it is NaN.
fn gap_to(value: f64, lower: f64) -> f64 {
    if (value - lower).is_nan() { f64::INFINITY } else { (value - lower).max(0.0) }
}
