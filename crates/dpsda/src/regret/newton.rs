//! Smooth losses on boxes and balls: Newton's method on faces.
//!
//! Every step minimises the parabola that touches the cost, by conjugate gradients along the face. One pass over the rows gives a
//! product with the Hessian, and one gives value, gradient and certificate of the next point. The certificate is the plane that
//! supports the cost there, as in `solver.rs`.

use super::Best;
use super::descent::{FaceStep, descend};
use super::face::Face;
use super::function::Function as _;
use super::mean::{LossWeights, MeanLoss};
use super::preconditioner::{add, dot};
use super::record::{FACES, PASSES, SearchPoint, SearchRecord};

/// What may be left of the gradient along a face after the first steps, and after the last: far from the optimum the parabola is not the
/// cost.
const ROUGH: (f64, f64) = (0.5, 0.1);
/// A step is long enough if the parabola says that its gap is this share of what is asked for.
const RESERVE: f64 = 3.0;

pub(super) struct Newton<'a> {
    mean: &'a MeanLoss<'a>,
    record: SearchRecord<'a>,
    /// The margins of the newest point.
    margins: Vec<f64>,
    /// The length of the first gradient along a face.
    first: Option<f64>,
}

impl<'a> Newton<'a> {
    pub(super) fn new(mean: &'a MeanLoss<'a>, record: SearchRecord<'a>) -> Self {
        Self { mean, record, margins: vec![0.0; mean.rows()], first: None }
    }

    /// The best decision, searched from `start`, a point of the set, and a lower bound on all costs. If the decision is not certified,
    /// this method cannot find a better one.
    pub(super) fn solve(mut self, start: &[f64]) -> (Best, f64) {
        let (mut now, mut enough) = self.at(start.to_vec());
        for _ in 0..FACES {
            if enough || self.record.passes > PASSES || !now.value.is_finite() {
                break;
            }
            let weights = self.mean.weights(&self.margins);
            let face = self.record.shape.face(&now.x, &now.g);
            let Some(step) = self.descend(&now, &face, &weights) else { break };
            let Some(next) = self.beyond(&now, &step.way) else { break };
            (now, enough) = next;
        }
        self.record.finish(start)
    }

    /// Value and gradient from the rows, and whether the best point is good enough.
    fn at(&mut self, x: Vec<f64>) -> (SearchPoint, bool) {
        self.record.passes += 1;
        let mut g = vec![0.0; x.len()];
        let plane = self.mean.at(&x, &mut self.margins, &mut g);
        let point = SearchPoint { x, g, value: plane.value, noise: plane.noise };
        let enough = self.record.note(&point, |floor| plane.at_zero + floor);
        (point, enough)
    }

    /// The point after the step, or after a part of it if it goes too far.
    fn beyond(&mut self, now: &SearchPoint, way: &[f64]) -> Option<(SearchPoint, bool)> {
        for part in [1.0, 0.25, 0.0625, 0.01, 0.001] {
            let mut x = now.x.clone();
            add(&mut x, part, way);
            self.record.set.project(&mut x);
            let fall: f64 = x.iter().zip(&now.x).zip(&now.g).map(|((x, from), g)| (x - from) * g).sum();
            let (next, enough) = self.at(x);
            if enough || next.value < now.value && next.value <= now.value + 1e-4 * fall + now.noise {
                return Some((next, enough));
            }
        }
        None
    }

    fn descend(&mut self, now: &SearchPoint, face: &Face<'_>, weights: &[f64]) -> Option<FaceStep> {
        let mut along = now.g.clone();
        face.project(&mut along);
        let length = dot(&along, &along).sqrt();
        let fallen = length / *self.first.get_or_insert(length);
        let rough = (ROUGH.0 * fallen.sqrt()).clamp(ROUGH.1, ROUGH.0);
        let (mean, record) = (self.mean, &mut self.record);
        let mut products = vec![0.0; mean.rows()];
        let product =
            |p: &[f64], image: &mut [f64]| mean.curve(LossWeights::Each(weights), p, &mut products, image);
        descend(&now.g, face, product, |step, left| {
            record.passes += 1;
            if left <= rough || record.passes > PASSES {
                return true;
            }
            let g: Vec<f64> = now.g.iter().zip(&step.image).map(|(g, image)| g + image).collect();
            let mut x = now.x.clone();
            add(&mut x, 1.0, &step.way);
            record.set.project(&mut x);
            let value = now.value + (dot(&now.g, &step.way) + dot(&g, &step.way)) / 2.0;
            let gap = dot(&g, &x) - record.set.floor(&g);
            record.goal.enough(value, RESERVE * gap, record.passes)
        })
    }
}
