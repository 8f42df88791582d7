//! What the solver minimises.

use super::preconditioner::Preconditioner;

/// A convex function of margins `s`, which are linear in `x`.
pub(super) trait Function {
    /// How many coordinates `x` has.
    fn dim(&self) -> usize;

    /// How many margins there are.
    fn rows(&self) -> usize;

    /// How many numbers are read to compute it once.
    fn size(&self) -> f64;

    /// Whether it has kinks that it can smooth.
    fn kinked(&self) -> bool {
        false
    }

    /// A lower bound on all values of the function.
    fn least(&self) -> f64 {
        f64::NEG_INFINITY
    }

    /// Whether it is finite and convex outside of the set too.
    fn everywhere(&self) -> bool {
        true
    }

    /// The margins of `x`.
    fn margins(&self, x: &[f64], s: &mut [f64]);

    /// The function itself.
    fn value(&self, s: &[f64]) -> f64;

    /// The smoothed function. Without kinks, the function itself.
    fn smoothed(&self, s: &[f64], _mu: f64) -> f64 {
        self.value(s)
    }

    /// The plane that supports the function from below at margins `s`. Its slope is written to `g`.
    fn plane(&self, s: &[f64], mu: f64, g: &mut [f64]) -> Plane;

    /// A preconditioner near the margins `s`, if one can be learned.
    fn preconditioner(&self, _s: &[f64]) -> Option<Preconditioner> {
        None
    }
}

/// What one evaluation at a point tells about the function. `F(x') >= at_zero + <g, x'>` for every `x'`, and the same with
/// `smooth_at_zero` for the smoothed function.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Plane {
    /// The smoothed function at the point itself.
    pub(super) value: f64,
    /// The lower bound on the true function, at zero.
    pub(super) at_zero: f64,
    /// The lower bound on the smoothed function, at zero; never above `at_zero`.
    pub(super) smooth_at_zero: f64,
    /// Smaller differences of values are rounding errors, of the sums or of the margins.
    pub(super) noise: f64,
}
