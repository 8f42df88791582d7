//! Losses of a linear prediction `s = a.x` against a label `b`.

use crate::family;
use crate::{Error, Keys};

/// A convex loss in `s`.
pub trait Loss: Send + Sync {
    /// The loss.
    fn value(&self, s: f64, b: f64) -> f64;

    /// A subgradient in `s`.
    fn slope(&self, s: f64, b: f64) -> f64;

    /// How fast the slope can change: its Lipschitz constant, infinite where it jumps.
    fn smoothness(&self) -> f64;

    /// A point near `s` and a subgradient *there*, such that the subgradient changes with `s` no faster than
    /// `max(smoothness, 1/mu)`. Losses with kinks return the proximal point; smooth ones keep this default.
    fn tangent(&self, s: f64, b: f64, _mu: f64) -> (f64, f64) {
        (s, self.slope(s, b))
    }

    /// A number that no value is below: the comparator's certificate starts from it. Minus infinity claims nothing.
    fn least(&self) -> f64 {
        f64::NEG_INFINITY
    }

    /// Whether labels are the classes -1 and +1, told apart by the sign of `s`.
    fn classifies(&self) -> bool;
}

/// Builds a loss from the keys of `[problem]`.
pub type Build = fn(&Keys<'_>) -> Result<Box<dyn Loss>, Error>;

family! {
    /// Every loss, by the name it has in `problem.loss`.
    LOSSES: Build = squared, logistic, hinge, huber
}
