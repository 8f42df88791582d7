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

use super::Best;
use super::descent::{FaceStep, descend};
use super::face::{Face, Shape};
use super::function::Function as _;
use super::mean::{LossWeights, MeanLoss};
use super::preconditioner::{add, dot};
use super::record::{FACES, PASSES, SearchPoint, SearchRecord};

/// What may be left of the gradient along a face if the minimum along the face is not in the set: the face will change. On a sphere
/// the face changes with every step, but less and less.
const ROUGH: f64 = 0.1;
const ROUGH_ON_SPHERE: f64 = 0.02;
/// The error of one rounding, with a reserve for sums.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

pub(super) struct Quadratic<'a> {
    mean: &'a MeanLoss<'a>,
    /// The second derivative of the losses.
    h: f64,
    record: SearchRecord<'a>,
    margins: Vec<f64>,
}

impl<'a> Quadratic<'a> {
    pub(super) fn new(mean: &'a MeanLoss<'a>, h: f64, record: SearchRecord<'a>) -> Self {
        Self { mean, h, record, margins: vec![0.0; mean.rows()] }
    }

    /// The best decision, searched from `start`, a point of the set, and a lower bound on all costs. If the decision is not certified,
    /// this method cannot find a better one.
    pub(super) fn solve(mut self, start: SearchPoint) -> (Best, f64) {
        let first = start.x.clone();
        let mut now = start;
        let mut idle = 0;
        for _ in 0..FACES {
            if self.note(&now) || self.record.passes > PASSES {
                break;
            }
            let Some(next) = self.along_face(&now) else { break };
            // Without progress, roundings are as large as what is left: once more from the rows.
            idle = if next.value < now.value { 0 } else { idle + 1 };
            now = if idle == 1 { self.at(next.x) } else { next };
            if idle > 1 {
                break;
            }
        }
        self.finish(&first)
    }

    /// What is known now. Without a finite value, the answer is `start`.
    pub(super) fn finish(self, start: &[f64]) -> (Best, f64) {
        self.record.finish(start)
    }

    /// Value and gradient from the rows.
    pub(super) fn at(&mut self, x: Vec<f64>) -> SearchPoint {
        self.record.passes += 1;
        let mut g = vec![0.0; x.len()];
        let plane = self.mean.at(&x, &mut self.margins, &mut g);
        SearchPoint { x, g, value: plane.value, noise: plane.noise }
    }

    /// The point after a step `way` with the image `H way`.
    fn after(now: &SearchPoint, way: &[f64], image: &[f64]) -> SearchPoint {
        let x = sum(&now.x, way);
        let g = sum(&now.g, image);
        let change = (dot(&now.g, way) + dot(&g, way)) / 2.0;
        let noise = now.noise + ROUNDING * (now.value.abs() + change.abs());
        SearchPoint { x, g, value: (now.value + change).max(0.0), noise }
    }

    /// Takes in a point, and what it proves. Whether the best point is good enough.
    pub(super) fn note(&mut self, point: &SearchPoint) -> bool {
        let along = dot(&point.g, &point.x);
        self.record.note(point, |floor| {
            let a = 2.0 * point.value - along + floor;
            if a > 0.0 && point.value > 0.0 { a / (4.0 * point.value) * a } else { 0.0 }
        })
    }

    /// A better point along the face of `now`, or nearly along it.
    fn along_face(&mut self, now: &SearchPoint) -> Option<SearchPoint> {
        let face = self.record.shape.face(&now.x, &now.g);
        let step = self.descend(now, &face)?;
        let whole = Self::after(now, &step.way, &step.image);
        if self.record.shape.contains(&whole.x) {
            return Some(whole);
        }
        let falls = |next: &SearchPoint, way: &[f64]| next.value <= now.value + 1e-4 * dot(&now.g, way);
        for part in [1.0, 0.25, 0.0625] {
            let mut x = now.x.clone();
            add(&mut x, part, &step.way);
            self.record.set.project(&mut x);
            let way: Vec<f64> = x.iter().zip(&now.x).map(|(x, from)| x - from).collect();
            let mut image = vec![0.0; way.len()];
            self.record.passes += 1;
            self.mean.curve(LossWeights::All(self.h), &way, &mut self.margins, &mut image);
            let mut next = Self::after(now, &way, &image);
            next.x = x; // to the last bit in the set
            if falls(&next, &way) {
                return Some(next);
            }
        }
        let reach = self.record.shape.reach(&now.x, &step.way);
        let scaled = |v: &[f64]| v.iter().map(|v| reach * v).collect::<Vec<f64>>();
        let mut next = Self::after(now, &scaled(&step.way), &scaled(&step.image));
        self.record.set.project(&mut next.x);
        (reach > 0.0).then_some(next)
    }

    fn descend(&mut self, now: &SearchPoint, face: &Face<'_>) -> Option<FaceStep> {
        let sphere = matches!(self.record.shape, Shape::Radius(_));
        let rough = if matches!(face, Face::Tangent { .. }) { ROUGH_ON_SPHERE } else { ROUGH };
        let (mean, h, mut margins) = (self.mean, self.h, std::mem::take(&mut self.margins));
        let product = |p: &[f64], image: &mut [f64]| mean.curve(LossWeights::All(h), p, &mut margins, image);
        let step = descend(&now.g, face, product, |step, left| {
            self.record.passes += 1;
            let next = Self::after(now, &step.way, &step.image);
            if self.record.shape.contains(&next.x) {
                self.note(&next) || self.record.passes > PASSES
            } else {
                left <= rough || sphere && matches!(face, Face::Whole)
            }
        });
        self.margins = margins;
        step
    }
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
