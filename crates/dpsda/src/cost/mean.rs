//! The mean of several costs.

use std::ops::Range;

use crate::objective::Objective;

/// The mean of several costs of the same dimension. The mean of no costs is zero.
///
/// ```
/// use dpsda::cost::MeanCost;
/// use dpsda::objective::{Objective, OwnCost};
/// let line = |slope: f64| {
///     Box::new(OwnCost::new(1, move |x: &[f64]| slope * x[0], move |_: &[f64], g: &mut [f64]| g.fill(slope)))
///         as Box<dyn Objective>
/// };
/// let mean = MeanCost::new(1, vec![line(1.0), line(3.0)]);
/// assert_eq!(mean.value(&[2.0]), 4.0);
/// ```
pub struct MeanCost<'a> {
    dim: usize,
    parts: Vec<Box<dyn Objective + 'a>>,
}

impl<'a> MeanCost<'a> {
    /// The mean of `parts`, which all have `dim` coordinates.
    pub fn new(dim: usize, parts: Vec<Box<dyn Objective + 'a>>) -> Self {
        Self { dim, parts }
    }
}

impl Objective for MeanCost<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.parts.iter().map(|part| part.value(x)).sum::<f64>() / self.parts.len().max(1) as f64
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let mut one = vec![0.0; block.len()];
        g.fill(0.0);
        for part in &self.parts {
            part.partial(x, block.clone(), &mut one);
            g.iter_mut().zip(&one).for_each(|(g, one)| *g += one / self.parts.len() as f64);
        }
    }
}
