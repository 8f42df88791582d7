//! The mean of any convex costs, of which only values and gradients are known.

use super::function::{Function, Plane};
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

    fn size(&self) -> f64 {
        self.parts.iter().map(|part| part.examples() as f64).sum::<f64>() * self.dim as f64
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

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::regret::{TOLERANCE, best};
    use crate::set::{ConvexSet as _, Psi, Simplex};

    /// `-sum w_i ln x_i`, which is no number outside of the positive orthant, and the best point is `w/sum w`.
    struct Logarithm([f64; 3]);

    impl Objective for Logarithm {
        fn dim(&self) -> usize {
            3
        }

        fn value(&self, x: &[f64]) -> f64 {
            let mut inside = x.to_vec();
            Simplex::new(Psi::Euclidean).project(&mut inside);
            let way: f64 = inside.iter().zip(x).map(|(a, b)| (a - b).abs()).sum();
            assert!(way < 1e-9, "it was asked at {x:?}");
            -self.0.iter().zip(x).map(|(w, x)| w * x.max(1e-12).ln()).sum::<f64>()
        }

        fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
            let _ = self.value(x);
            for (i, g) in block.zip(g) {
                *g = -self.0[i] / x[i].max(1e-12);
            }
        }
    }

    #[test]
    fn a_cost_is_asked_on_the_set_alone() {
        let found =
            best(&[&Logarithm([0.7, 0.2, 0.1])], &Simplex::new(Psi::Euclidean), &[0.1, 0.1, 0.8], TOLERANCE);
        assert!(found.certified, "{found:?}");
        for (x, w) in found.x.iter().zip([0.7, 0.2, 0.1]) {
            assert!((x - w).abs() < 2e-3, "{found:?}");
        }
    }
}
