//! Logistic loss: the negative log-likelihood of a label.

use super::{Build, Loss};
use crate::catalog::Listing;

/// `log(1 + exp(-b s))`
///
/// ```
/// use dpsda::loss::{Logistic, Loss};
/// assert_eq!((Logistic.value(0.0, 1.0), Logistic.slope(0.0, 1.0)), (2_f64.ln(), -0.5));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Logistic;

impl Loss for Logistic {
    fn value(&self, s: f64, b: f64) -> f64 {
        let m = b * s;
        // max(0, -m) + log(1 + exp(-|m|)): no intermediate result overflows.
        (-m).max(0.0) + (-m.abs()).exp().ln_1p()
    }

    fn slope(&self, s: f64, b: f64) -> f64 {
        -b / (1.0 + (b * s).exp()) // exp may overflow to infinity; then the slope is zero
    }

    /// For the labels -1 and +1.
    fn smoothness(&self) -> f64 {
        0.25
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
    name: "logistic",
    about: "log(1 + exp(-b s)), b = -1 or +1: classification",
    keys: &[],
    build: |_| Ok(Box::new(Logistic)),
};
