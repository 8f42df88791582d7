//! Huber loss: squared near the label, linear far from it. The slope never exceeds `k`, which limits the pull of outliers.

use super::{Build, Loss};
use crate::Error;
use crate::catalog::{Key, Listing};

/// `r^2/2` for `|r| <= k`, else `k (|r| - k/2)`, with `r = s - b`.
///
/// ```
/// use dpsda::loss::{Huber, Loss};
/// let huber = Huber::new(2.0)?;
/// assert_eq!((huber.value(1.0, 0.0), huber.value(5.0, 0.0)), (0.5, 8.0));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Huber {
    /// `k`
    delta: f64,
}

impl Huber {
    /// Squared up to a distance of `delta` from the label, linear beyond.
    ///
    /// ```
    /// # use dpsda::loss::Huber;
    /// let error = Huber::new(0.0).unwrap_err().to_string();
    /// assert_eq!(error, "delta = 0: expected a positive finite number");
    /// ```
    pub fn new(delta: f64) -> Result<Self, Error> {
        if delta > 0.0 && delta.is_finite() {
            return Ok(Self { delta });
        }
        Err(Error::value("delta", delta, "expected a positive finite number"))
    }
}

impl Loss for Huber {
    fn value(&self, s: f64, b: f64) -> f64 {
        let r = (s - b).abs();
        if r <= self.delta { r * r / 2.0 } else { self.delta * (r - self.delta / 2.0) }
    }

    fn slope(&self, s: f64, b: f64) -> f64 {
        (s - b).clamp(-self.delta, self.delta)
    }

    fn smoothness(&self) -> f64 {
        1.0
    }

    fn least(&self) -> f64 {
        0.0
    }

    fn classifies(&self) -> bool {
        false
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "huber",
    about: "squared near the label, linear beyond huber_delta: regression with outliers",
    keys: &[Key {
        name: "huber_delta",
        about: "where the square becomes a line, a positive number (default 1)",
    }],
    build: |keys| {
        let huber = Huber::new(keys.f64("huber_delta")?.unwrap_or(1.0));
        Ok(Box::new(huber.map_err(|error| keys.locate(error.at("delta", "huber_delta")))?))
    },
};
