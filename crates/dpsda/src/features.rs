//! Samples: rows of features, stored as they are best stored, and their labels.

use std::ops::Range;

pub mod bytes;
pub mod dense;
pub mod sparse;

/// A matrix whose rows are samples.
pub trait Features: Send + Sync {
    /// How many samples.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many features.
    fn dim(&self) -> usize;

    /// `a_row . x`
    fn dot(&self, row: usize, x: &[f64]) -> f64;

    /// `g += c a_row[block]`
    fn add_to(&self, row: usize, block: Range<usize>, c: f64, g: &mut [f64]);
}

/// Features with labels.
pub struct Samples {
    /// One row a sample.
    pub features: Box<dyn Features>,
    /// One label a row.
    pub labels: Vec<f64>,
}
