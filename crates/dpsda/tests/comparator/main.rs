//! The comparator of (2) and (3).

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use dpsda::features::Samples;
use dpsda::loss::Loss;
use dpsda::objective::{Batch, Objective as _};
use dpsda::regret::{Best, best};
use dpsda::set::ConvexSet;

mod along;
mod faces;
mod optima;

/// A set that does not say what it is: only the general method remains.
struct Opaque<'a>(&'a dyn ConvexSet);

impl ConvexSet for Opaque<'_> {
    fn project(&self, x: &mut [f64]) {
        self.0.project(x);
    }

    fn floor(&self, c: &[f64]) -> f64 {
        self.0.floor(c)
    }

    fn is_separable(&self) -> bool {
        self.0.is_separable()
    }
}

/// The mean loss of all samples.
fn value(samples: &Samples, loss: &dyn Loss, x: &[f64]) -> f64 {
    let rows: Vec<usize> = (0..samples.labels.len()).collect();
    Batch { samples, rows: &rows, loss }.value(x)
}

/// The best decision for all samples. Parts are uneven, because the mean is over samples and not over parts.
fn solve(samples: &Samples, loss: &dyn Loss, set: &dyn ConvexSet, tolerance: f64) -> Best {
    let rows: Vec<usize> = (0..samples.labels.len()).collect();
    let (one, others) = rows.split_at(1);
    let [one, others] = [one, others].map(|rows| Batch { samples, rows, loss });
    best(&[&one, &others], set, &vec![0.1; samples.features.dim()], tolerance)
}
