//! The user's own cost, from two closures.

use std::ops::Range;

use super::Objective;

/// Any convex function, given by its value and a subgradient.
///
/// ```
/// use dpsda::objective::{Objective, OwnCost};
/// // |x - 1|^2
/// let cost = OwnCost::new(
///     2,
///     |x| x.iter().map(|x| (x - 1.0) * (x - 1.0)).sum(),
///     |x, g| g.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * (x - 1.0)),
/// );
/// let mut g = [0.0];
/// cost.partial(&[0.0, 3.0], 1..2, &mut g);
/// assert_eq!((cost.value(&[0.0, 3.0]), g), (5.0, [4.0]));
/// ```
#[derive(Clone)]
pub struct OwnCost<V, G> {
    dim: usize,
    value: V,
    gradient: G,
}

impl<V, G> OwnCost<V, G>
where
    V: Fn(&[f64]) -> f64 + Sync,
    G: Fn(&[f64], &mut [f64]) + Sync,
{
    /// A cost in `dim` coordinates. `value(x)` is the cost at `x`; `gradient(x, g)` writes all coordinates of a subgradient at
    /// `x` to `g`.
    pub fn new(dim: usize, value: V, gradient: G) -> Self {
        Self { dim, value, gradient }
    }
}

impl<V, G> Objective for OwnCost<V, G>
where
    V: Fn(&[f64]) -> f64 + Sync,
    G: Fn(&[f64], &mut [f64]) + Sync,
{
    fn dim(&self) -> usize {
        self.dim
    }

    fn value(&self, x: &[f64]) -> f64 {
        (self.value)(x)
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let mut whole = vec![0.0; self.dim];
        (self.gradient)(x, &mut whole);
        g.iter_mut().zip(&whole[block]).for_each(|(g, own)| *g = *own);
    }
}
