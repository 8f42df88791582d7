//! Losses without memory.

use rand::RngExt;

use super::{Build, Outage, link, probability};
use crate::catalog::{Key, Listing};
use crate::rng::{Purpose, Seed};
use crate::{Error, Keys};

/// Every link is off with probability `rate`, independently in every round.
pub const LISTING: Listing<Build> = Listing {
    name: "bernoulli",
    about: "every link is off with a fixed probability, independently in every round",
    keys: &[Key { name: "rate", about: "probability that a link is off in a round, 0 to 1; must be given" }],
    build,
};

struct Bernoulli {
    rate: f64,
    seed: Seed,
}

fn build(keys: &Keys<'_>, seed: Seed) -> Result<Box<dyn Outage>, Error> {
    Ok(Box::new(Bernoulli { rate: probability(keys, "rate")?, seed }))
}

impl Outage for Bernoulli {
    fn up(&self, t: u64, from: usize, to: usize) -> bool {
        self.seed.stream(Purpose::Outage, link(from, to), t).random::<f64>() >= self.rate
    }
}
