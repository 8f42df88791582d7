//! Delays at random: messages overtake each other.

use rand::RngExt;

use super::{Build, Delay, count, link};
use crate::catalog::{Key, Listing};
use crate::rng::{Purpose, Seed};

/// 0 to `max` rounds, drawn anew for every message.
pub const LISTING: Listing<Build> = Listing {
    name: "uniform",
    about: "every message has a delay of its own, all from 0 to a largest alike: messages overtake each other",
    keys: &[Key { name: "max", about: "the largest number of rounds, 0 to 1000; must be given" }],
    build: |keys, seed| Ok(Box::new(Uniform { max: count(keys, "max")?, seed })),
};

struct Uniform {
    max: u64,
    seed: Seed,
}

impl Delay for Uniform {
    fn rounds(&self, t: u64, from: usize, to: usize) -> u64 {
        self.seed.stream(Purpose::Delay, link(from, to), t).random_range(0..=self.max)
    }

    fn longest(&self) -> u64 {
        self.max
    }
}
