//! Losses of a linear prediction `s = a.x` against a label `b`.
//!
//! | loss | | labels |
//! |---|---|---|
//! | [`Squared`] | `(s - b)^2` | numbers |
//! | [`Huber`] | squared near the label, linear far from it | numbers |
//! | [`Logistic`] | `log(1 + exp(-b s))` | -1 and +1 |
//! | [`Hinge`] | `max(0, 1 - b s)` | -1 and +1 |
//! | [`OwnLoss`] | closures of yours | either |
//!
//! # A loss of your own
//!
//! Two closures make one ([`OwnLoss`]). A type says the same with a name, and [`check()`] looks whether value and slope belong
//! together.
//!
//! ```
//! use dpsda::loss::{Loss, check};
//!
//! /// `cosh(s - b)`
//! struct Cosh;
//!
//! impl Loss for Cosh {
//!     fn value(&self, s: f64, b: f64) -> f64 {
//!         (s - b).cosh()
//!     }
//!
//!     fn slope(&self, s: f64, b: f64) -> f64 {
//!         (s - b).sinh()
//!     }
//!
//!     fn smoothness(&self) -> f64 {
//!         f64::INFINITY // the slope has no Lipschitz constant
//!     }
//!
//!     fn tangent(&self, s: f64, b: f64, mu: f64) -> (f64, f64) {
//!         dpsda::loss::proximal(|s| self.slope(s, b), s, mu)
//!     }
//!
//!     fn least(&self) -> f64 {
//!         1.0
//!     }
//!
//!     fn classifies(&self) -> bool {
//!         false
//!     }
//! }
//!
//! check(&Cosh, &[-2.0, 0.0, 1.0], &[0.0, 3.0])?;
//! # Ok::<(), dpsda::Error>(())
//! ```

use crate::catalog::pointers;
use crate::family;
use crate::{Error, Keys};

mod check;
mod own;
mod proximal;

pub use check::check;
pub use hinge::Hinge;
pub use huber::Huber;
pub use logistic::Logistic;
pub use own::OwnLoss;
pub use proximal::proximal;
pub use squared::Squared;

/// A convex loss in `s`.
///
/// A `Box` or an `Arc` of a loss is that loss.
pub trait Loss: Send + Sync {
    /// The loss.
    fn value(&self, s: f64, b: f64) -> f64;

    /// A subgradient in `s`.
    fn slope(&self, s: f64, b: f64) -> f64;

    /// How fast the slope can change: its Lipschitz constant, infinite where it jumps.
    fn smoothness(&self) -> f64;

    /// A point near `s` and a subgradient *there*, such that the subgradient changes with `s` no faster than
    /// `max(smoothness, 1/mu)`. Losses with kinks return the proximal point ([`proximal()`] finds it from slopes); smooth
    /// ones keep this default.
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

pointers! { Loss {
    fn value(&self, s: f64, b: f64) -> f64;
    fn slope(&self, s: f64, b: f64) -> f64;
    fn smoothness(&self) -> f64;
    fn tangent(&self, s: f64, b: f64, mu: f64) -> (f64, f64);
    fn least(&self) -> f64;
    fn classifies(&self) -> bool;
} }

/// Builds a loss from the keys of `[problem]`.
pub type Build = fn(&Keys<'_>) -> Result<Box<dyn Loss>, Error>;

family! {
    /// Every loss, by the name it has in `problem.loss`.
    LOSSES: Build = squared, logistic, hinge, huber
}
