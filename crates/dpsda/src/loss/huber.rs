//! Huber loss: squared near the label, linear far from it, so that outliers pull no harder than `k`.

use super::{Build, Loss};
use crate::catalog::{Key, Listing};

/// `r^2/2` for `|r| <= k`, else `k (|r| - k/2)`, with `r = s - b`.
#[derive(Debug, Clone, Copy)]
pub struct Huber {
    /// `k`, positive.
    pub delta: f64,
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
        let fits = |k: f64| k > 0.0 && k.is_finite();
        let delta = keys.f64_where("huber_delta", 1.0, "a positive finite number", fits)?;
        Ok(Box::new(Huber { delta }))
    },
};
