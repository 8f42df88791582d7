//! The cost of a round, `f_t` of (1).

use std::ops::Range;

use crate::features::Samples;
use crate::loss::Loss;

mod share;
pub mod two_point;
pub use share::{Share, deal};

/// A convex function of the shared decision.
pub trait Objective: Sync {
    /// How many coordinates.
    fn dim(&self) -> usize;

    /// `f(x)`
    fn value(&self, x: &[f64]) -> f64;

    /// The coordinates `block` of a subgradient at `x`, into `g`.
    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]);

    /// How many examples it is the mean of; this number is public.
    fn examples(&self) -> usize {
        1
    }

    /// The coordinates `block` of a subgradient of the cost of example `k` alone, at `x`, into `g`.
    fn example(&self, _k: usize, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        self.partial(x, block, g);
    }

    /// The cost of example `k` alone, at `x`.
    fn example_value(&self, _k: usize, x: &[f64]) -> f64 {
        self.value(x)
    }

    /// The linear model that it is the loss of, where it is one.
    fn linear(&self) -> Option<Batch<'_>> {
        None
    }
}

/// The mean loss over some rows of a data set.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    /// The data.
    pub samples: &'a Samples,
    /// The rows, at least one.
    pub rows: &'a [usize],
    /// The loss.
    pub loss: &'a dyn Loss,
}

impl Objective for Batch<'_> {
    fn dim(&self) -> usize {
        self.samples.features.dim()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let Samples { features, labels } = self.samples;
        let total: f64 = self.rows.iter().map(|&r| self.loss.value(features.dot(r, x), labels[r])).sum();
        total / self.rows.len() as f64
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let Samples { features, labels } = self.samples;
        g.fill(0.0);
        for &r in self.rows {
            let slope = self.loss.slope(features.dot(r, x), labels[r]);
            features.add_to(r, block.clone(), slope / self.rows.len() as f64, g);
        }
    }

    fn examples(&self) -> usize {
        self.rows.len()
    }

    fn example(&self, k: usize, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let Samples { features, labels } = self.samples;
        let r = self.rows[k];
        g.fill(0.0);
        features.add_to(r, block, self.loss.slope(features.dot(r, x), labels[r]), g);
    }

    fn example_value(&self, k: usize, x: &[f64]) -> f64 {
        let Samples { features, labels } = self.samples;
        let r = self.rows[k];
        self.loss.value(features.dot(r, x), labels[r])
    }

    fn linear(&self) -> Option<Batch<'_>> {
        Some(*self)
    }
}
