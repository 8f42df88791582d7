//! Outages without memory.

use rand::RngExt;

use super::{Build, Outage, given, link, probability};
use crate::Error;
use crate::catalog::{Key, Listing};
use crate::rng::{Purpose, Seed};

/// Every link is off with probability `rate`, independently in every round.
///
/// ```
/// use dpsda::network::outage::{Bernoulli, Outage};
/// use dpsda::rng::Seed;
/// let outage = Bernoulli::new(0.1, Seed::new(1))?;
/// let off = (0..1000).filter(|t| !outage.up(*t, 0, 1)).count();
/// assert!((70..130).contains(&off));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bernoulli {
    rate: f64,
    seed: Seed,
}

impl Bernoulli {
    /// Links that are off with probability `rate`, drawn from `seed`.
    ///
    /// ```
    /// # use dpsda::{network::outage::Bernoulli, rng::Seed};
    /// let error = Bernoulli::new(2.0, Seed::new(1)).unwrap_err().to_string();
    /// assert_eq!(error, "rate = 2: expected a probability, 0 to 1");
    /// ```
    pub fn new(rate: f64, seed: Seed) -> Result<Self, Error> {
        Ok(Self { rate: probability("rate", rate)?, seed })
    }
}

impl Outage for Bernoulli {
    fn up(&self, t: u64, from: usize, to: usize) -> bool {
        self.seed.stream(Purpose::Outage, link(from, to), t).random::<f64>() >= self.rate
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "bernoulli",
    about: "every link is off with a fixed probability, independently in every round",
    keys: &[Key { name: "rate", about: "probability that a link is off in a round, 0 to 1; must be given" }],
    build: |keys, seed| {
        let outage = Bernoulli::new(given(keys, "rate")?, seed);
        Ok(Box::new(outage.map_err(|error| keys.locate(error))?))
    },
};
