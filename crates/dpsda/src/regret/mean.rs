//! The mean loss over all rows, as a function of the margins.

use super::function::{Function, Plane};
use super::pass::Pass;
use super::preconditioner::Preconditioner;
use super::{Workers, sketch};
use crate::objective::{Batch, Objective as _};

/// The mean loss `F(x) = mean phi_i(a_i.x)`.
pub(super) struct MeanLoss<'a> {
    parts: &'a [Batch<'a>],
    rows: usize,
    dim: usize,
    workers: &'a Workers<'a>,
    /// Whether some loss has kinks, so that `F` must be smoothed.
    kinked: bool,
}

impl<'a> MeanLoss<'a> {
    pub(super) fn new(parts: &'a [Batch<'a>], workers: &'a Workers<'a>) -> Self {
        Self {
            parts,
            workers,
            rows: parts.iter().map(|p| p.rows.len()).sum(),
            dim: parts.first().map_or(0, |part| part.dim()),
            kinked: parts.iter().any(|p| p.loss.smoothness().is_infinite()),
        }
    }

    fn pass(&self) -> Pass<'_> {
        Pass { parts: self.parts, rows: self.rows, dim: self.dim, workers: self.workers }
    }

    /// The factor `h`, if all losses are `h (s - b)^2/2`.
    pub(super) fn quadratic(&self) -> Option<f64> {
        let (first, others) = self.parts.split_first()?;
        let h = first.loss.quadratic()?;
        others.iter().all(|part| part.loss.quadratic() == Some(h)).then_some(h)
    }

    /// The margins of `x`, and the plane there, in one pass.
    pub(super) fn at(&self, x: &[f64], s: &mut [f64], g: &mut [f64]) -> Plane {
        let n = self.rows as f64;
        self.pass().products_and_sum(
            x,
            s,
            &|part, row, _, s| part.loss.slope(s, part.samples.labels[row]) / n,
            g,
        );
        self.height(s, 0.0)
    }

    /// `q = H p`, where the losses have the second derivatives `weights`, or all `h`.
    pub(super) fn curve(&self, weights: LossWeights<'_>, p: &[f64], t: &mut [f64], q: &mut [f64]) {
        let n = self.rows as f64;
        match weights {
            LossWeights::All(h) => self.pass().products_and_sum(p, t, &|_, _, _, t| h * t / n, q),
            LossWeights::Each(w) => self.pass().products_and_sum(p, t, &|_, _, k, t| w[k] * t / n, q),
        }
    }

    /// The second derivatives of all losses at the margins `s`, by finite differences.
    pub(super) fn weights(&self, s: &[f64]) -> Vec<f64> {
        let mut weights = Vec::with_capacity(self.rows);
        self.each(s, |part, _, s, b| weights.push(second(part, s, b).max(0.0)));
        weights
    }

    /// The height of the plane at margins `s`, without its slope.
    fn height(&self, s: &[f64], mu: f64) -> Plane {
        let n = self.rows as f64;
        let (mut plane, mut total) = (Plane::default(), CompensatedSum::default());
        self.each(s, |part, _, s, b| {
            let (p, u) = part.loss.tangent(s, b, mu);
            let (value, half) = (part.loss.value(p, b), u * (s - p) / 2.0);
            total.add(value + half);
            plane.at_zero += value - u * p;
            plane.smooth_at_zero += value - u * p - half;
            plane.noise += value.abs() + (u * s).abs();
        });
        Plane {
            value: total.value() / n,
            at_zero: plane.at_zero / n,
            smooth_at_zero: plane.smooth_at_zero / n,
            noise: 16.0 * f64::EPSILON * plane.noise / n,
        }
    }

    /// At most `count` rows, spread evenly over all, with the second derivative of the loss at their margins.
    pub(super) fn spread(&self, s: &[f64], count: usize) -> Vec<WeightedRow<'a>> {
        let count = count.min(self.rows);
        let mut rows = Vec::with_capacity(count);
        let (mut index, mut next) = (0, 0);
        for part in self.parts {
            for &row in part.rows {
                if index == next {
                    let weight = second(part, s[index], part.samples.labels[row]);
                    rows.push(WeightedRow { part, row, weight });
                    next = rows.len() * self.rows / count;
                }
                index += 1;
            }
        }
        rows
    }

    fn sum(&self, s: &[f64], f: impl Fn(&Batch<'_>, f64, f64) -> f64) -> f64 {
        let mut total = CompensatedSum::default();
        self.each(s, |part, _, s, b| total.add(f(part, s, b)));
        total.value()
    }

    fn each(&self, s: &[f64], mut f: impl FnMut(&Batch<'_>, usize, f64, f64)) {
        let mut s = s.iter();
        for part in self.parts {
            for (row, s) in part.rows.iter().zip(&mut s) {
                f(part, *row, *s, part.samples.labels[*row]);
            }
        }
    }
}

impl Function for MeanLoss<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn size(&self) -> f64 {
        self.rows as f64 * self.dim as f64
    }

    fn kinked(&self) -> bool {
        self.kinked
    }

    fn least(&self) -> f64 {
        self.parts.iter().map(|p| p.loss.least()).fold(f64::INFINITY, f64::min)
    }

    /// `s = A x`
    fn margins(&self, x: &[f64], s: &mut [f64]) {
        self.pass().products(x, s);
    }

    fn value(&self, s: &[f64]) -> f64 {
        self.sum(s, |part, s, b| part.loss.value(s, b)) / self.rows as f64
    }

    /// The mean of the losses' Moreau envelopes `min_p phi(p) + (s - p)^2/(2 mu)`. If no loss has kinks, the mean loss itself.
    fn smoothed(&self, s: &[f64], mu: f64) -> f64 {
        if !self.kinked {
            return self.value(s);
        }
        let envelope = |part: &Batch<'_>, s, b| {
            let (p, u) = part.loss.tangent(s, b, mu);
            part.loss.value(p, b) + u * (s - p) / 2.0
        };
        self.sum(s, envelope) / self.rows as f64
    }

    /// The plane that supports the function from below at margins `s`. Its slope `mean u_i a_i` is written to `g`.
    fn plane(&self, s: &[f64], mu: f64, g: &mut [f64]) -> Plane {
        let n = self.rows as f64;
        let weigh =
            |part: &Batch<'_>, row: usize, _, s| part.loss.tangent(s, part.samples.labels[row], mu).1 / n;
        self.pass().sum(s, &weigh, g);
        self.height(s, mu)
    }

    fn preconditioner(&self, s: &[f64]) -> Option<Preconditioner> {
        sketch::preconditioner(self, s)
    }
}

/// Second derivatives of losses.
#[derive(Clone, Copy)]
pub(super) enum LossWeights<'w> {
    /// The same for all rows.
    All(f64),
    /// One per row.
    Each(&'w [f64]),
}

/// The second derivative of a loss, by finite differences.
fn second(part: &Batch<'_>, s: f64, b: f64) -> f64 {
    let h = 1e-4 * (1.0 + s.abs());
    (part.loss.slope(s + h, b) - part.loss.slope(s - h, b)) / (2.0 * h)
}

/// A row and the curvature of its loss.
pub(super) struct WeightedRow<'a> {
    part: &'a Batch<'a>,
    row: usize,
    /// The second derivative, by finite differences.
    pub(super) weight: f64,
}

impl WeightedRow<'_> {
    pub(super) fn dot(&self, x: &[f64]) -> f64 {
        self.part.samples.features.dot(self.row, x)
    }

    pub(super) fn add_to(&self, c: f64, g: &mut [f64]) {
        self.part.samples.features.add_to(self.row, 0..g.len(), c, g);
    }
}

/// A compensated sum (Neumaier's). The solver compares values down to their last bits. There the error of a plain sum over
/// thousands of rows would look like curvature.
#[derive(Default)]
struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() { (self.sum - sum) + x } else { (x - sum) + self.sum };
        self.sum = sum;
    }

    fn value(&self) -> f64 {
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}
