//! The mean of any convex costs, of which only values and gradients are known.

use super::solver::{Function, Plane};
use crate::objective::Objective;

/// `F(x) = mean f_k(x)`. Its margins are the coordinates of `x`.
pub(super) struct General<'a> {
    parts: &'a [&'a dyn Objective],
    dim: usize,
}

impl<'a> General<'a> {
    pub(super) fn new(parts: &'a [&'a dyn Objective]) -> Self {
        Self { parts, dim: parts.first().map_or(0, |part| part.dim()) }
    }

    fn count(&self) -> f64 {
        self.parts.len() as f64
    }
}

impl Function for General<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn rows(&self) -> usize {
        self.dim
    }

    /// Costs are computed only inside the set. Elsewhere they may not be defined, as a logarithm.
    fn everywhere(&self) -> bool {
        false
    }

    fn margins(&self, x: &[f64], s: &mut [f64]) {
        s.copy_from_slice(x);
    }

    fn value(&self, s: &[f64]) -> f64 {
        self.parts.iter().map(|part| part.value(s)).sum::<f64>() / self.count()
    }

    fn plane(&self, s: &[f64], _mu: f64, g: &mut [f64]) -> Plane {
        let mut one = vec![0.0; self.dim];
        g.fill(0.0);
        for part in self.parts {
            part.partial(s, 0..self.dim, &mut one);
            g.iter_mut().zip(&one).for_each(|(g, one)| *g += one / self.count());
        }
        let (value, slope) = (self.value(s), s.iter().zip(&*g).map(|(s, g)| s * g));
        let (at_zero, size) = (value - slope.clone().sum::<f64>(), slope.map(f64::abs).sum::<f64>());
        Plane { value, at_zero, smooth_at_zero: at_zero, noise: 16.0 * f64::EPSILON * (value.abs() + size) }
    }
}
