//! Losses of a linear prediction `s = a.x` for a label `b`.
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
//! Two closures make a loss ([`OwnLoss`]). Or implement [`Loss`] for a type. [`check()`] tests whether value and slope fit
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

/// A loss that is convex in `s`.
///
/// A `Box` or an `Arc` of a loss is a loss too.
///
/// ```
/// use dpsda::loss::{Hinge, Logistic, Loss, Squared};
/// let right: Vec<bool> = [&Hinge as &dyn Loss, &Logistic, &Squared].iter().map(|loss| loss.slope(0.0, 1.0) < 0.0).collect();
/// assert_eq!(right, [true; 3]); // a larger prediction is better for the label +1
/// assert!(Hinge.classifies() && !Squared.classifies());
/// assert_eq!(Hinge.smoothness(), f64::INFINITY); // its slope jumps
/// ```
pub trait Loss: Send + Sync {
    /// The loss.
    fn value(&self, s: f64, b: f64) -> f64;

    /// A subgradient in `s`.
    fn slope(&self, s: f64, b: f64) -> f64;

    /// Writes the subgradient of each margin in its place. There is one label per margin.
    fn slopes(&self, margins: &mut [f64], labels: &[f64]) {
        margins.iter_mut().zip(labels).for_each(|(s, b)| *s = self.slope(*s, *b));
    }

    /// The Lipschitz constant of the slope; infinite if the slope jumps.
    fn smoothness(&self) -> f64;

    /// A point near `s` and a subgradient *at that point*. As a function of `s`, the subgradient changes no faster than
    /// `max(smoothness, 1/mu)`. Losses with kinks return the proximal point, which [`proximal()`] finds from slopes. Smooth
    /// losses keep this default.
    fn tangent(&self, s: f64, b: f64, _mu: f64) -> (f64, f64) {
        (s, self.slope(s, b))
    }

    /// A lower bound on all values, with which the comparator's certificate starts. Minus infinity is always valid.
    fn least(&self) -> f64 {
        f64::NEG_INFINITY
    }

    /// The factor `h`, if the loss is `h (s - b)^2/2` for all predictions and labels. The comparator then uses that it is a parabola.
    fn quadratic(&self) -> Option<f64> {
        None
    }

    /// Whether labels are the classes -1 and +1, predicted by the sign of `s`.
    fn classifies(&self) -> bool;
}

pointers! { Loss {
    fn value(&self, s: f64, b: f64) -> f64;
    fn slope(&self, s: f64, b: f64) -> f64;
    fn slopes(&self, margins: &mut [f64], labels: &[f64]);
    fn smoothness(&self) -> f64;
    fn tangent(&self, s: f64, b: f64, mu: f64) -> (f64, f64);
    fn least(&self) -> f64;
    fn quadratic(&self) -> Option<f64>;
    fn classifies(&self) -> bool;
} }

/// Builds a loss from the keys of `[problem]`. Every row of [`LOSSES`] has one.
pub type Build = fn(&Keys<'_>) -> Result<Box<dyn Loss>, Error>;

family! {
    /// Every loss, by the name it has in `problem.loss`.
    LOSSES: Build = squared, logistic, hinge, huber
}
