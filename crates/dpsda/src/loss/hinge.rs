//! Hinge loss: that of the support vector machine.

use super::{Build, Loss};
use crate::catalog::Listing;

/// `max(0, 1 - b s)`
///
/// ```
/// use dpsda::loss::{Hinge, Loss};
/// assert_eq!((Hinge.value(0.5, 1.0), Hinge.slope(0.5, 1.0)), (0.5, -1.0));
/// assert_eq!(Hinge.value(2.0, 1.0), 0.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hinge;

impl Loss for Hinge {
    fn value(&self, s: f64, b: f64) -> f64 {
        (1.0 - b * s).max(0.0)
    }

    /// Zero at the kink, `b s = 1`.
    fn slope(&self, s: f64, b: f64) -> f64 {
        if b * s < 1.0 { -b } else { 0.0 }
    }

    fn smoothness(&self) -> f64 {
        f64::INFINITY
    }

    /// The proximal point `p = argmin mu phi(p) + (p - s)^2/2`, and `(s - p)/mu`, which lies in the subdifferential at
    /// `p`. The step from `s` to `p` is a full one of `mu b`, or one up to the kink, or none.
    fn tangent(&self, s: f64, b: f64, mu: f64) -> (f64, f64) {
        let short = 1.0 - b * s;
        if short <= 0.0 || b == 0.0 {
            (s, 0.0)
        } else if short >= mu * b * b {
            (s + mu * b, -b)
        } else {
            (1.0 / b, -short / (mu * b)) // |slope| < |b| here
        }
    }

    fn least(&self) -> f64 {
        0.0
    }

    fn classifies(&self) -> bool {
        true
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "hinge",
    about: "max(0, 1 - b s), b = -1 or +1: classification with a margin",
    keys: &[],
    build: |_| Ok(Box::new(Hinge)),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_is_zero_at_the_kink_and_the_prox_stops_there() {
        assert_eq!(Hinge.slope(1.0, 1.0), 0.0);
        assert_eq!(Hinge.slope(-1.0, -1.0), 0.0);
        assert_eq!(Hinge.tangent(0.75, 1.0, 0.5), (1.0, -0.5));
        assert_eq!(Hinge.tangent(0.0, 1.0, 0.5), (0.5, -1.0));
        assert_eq!(Hinge.tangent(-2.0, -1.0, 0.5), (-2.0, 0.0));
    }
}
