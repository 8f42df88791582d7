//! Squared loss: online linear regression.

use super::{Build, Loss};
use crate::catalog::Listing;

/// `(s - b)^2`
#[derive(Debug, Clone, Copy)]
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

    fn classifies(&self) -> bool {
        false
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> =
    Listing { name: "squared", about: "(s - b)^2: regression", keys: &[], build: |_| Ok(Box::new(Squared)) };
