//! Squared loss: online linear regression.

use super::{Build, Loss};
use crate::catalog::Listing;

/// `(s - b)^2`
///
/// ```
/// use dpsda::loss::{Loss, Squared};
/// assert_eq!((Squared.value(3.0, 1.0), Squared.slope(3.0, 1.0)), (4.0, 4.0));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Squared;

impl Loss for Squared {
    fn value(&self, s: f64, b: f64) -> f64 {
        let r = s - b;
        r * r
    }

    fn slope(&self, s: f64, b: f64) -> f64 {
        2.0 * (s - b)
    }

    fn smoothness(&self) -> f64 {
        2.0
    }

    fn least(&self) -> f64 {
        0.0
    }

    fn quadratic(&self) -> Option<f64> {
        Some(2.0)
    }

    fn classifies(&self) -> bool {
        false
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> =
    Listing { name: "squared", about: "(s - b)^2: regression", keys: &[], build: |_| Ok(Box::new(Squared)) };
