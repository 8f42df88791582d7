//! Random delays: messages may overtake each other.

use rand::RngExt;

use super::{Build, Delay, given, link, rounds};
use crate::Error;
use crate::catalog::{Key, Listing};
use crate::rng::{Purpose, Seed};

/// A delay of 0 to `max` rounds, drawn anew for every message.
///
/// ```
/// use dpsda::network::delay::{Delay, UniformDelay};
/// use dpsda::rng::Seed;
/// let delay = UniformDelay::new(4, Seed::new(1))?;
/// assert!((0..100).all(|t| delay.rounds(t, 0, 1) <= 4));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UniformDelay {
    max: u64,
    seed: Seed,
}

impl UniformDelay {
    /// Delays of at most `max` rounds, drawn from `seed`. `max` is 0 to 1,000.
    pub fn new(max: u64, seed: Seed) -> Result<Self, Error> {
        Ok(Self { max: rounds("max", max)?, seed })
    }
}

impl Delay for UniformDelay {
    fn rounds(&self, t: u64, from: usize, to: usize) -> u64 {
        self.seed.stream(Purpose::Delay, link(from, to), t).random_range(0..=self.max)
    }

    fn longest(&self) -> u64 {
        self.max
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "uniform",
    about: "every message draws its own delay, uniform from 0 to `max`: messages may overtake each other",
    keys: &[Key { name: "max", about: "the largest number of rounds, 0 to 1000; must be given" }],
    build: |keys, seed| {
        Ok(Box::new(UniformDelay::new(given(keys, "max")?, seed).map_err(|error| keys.locate(error))?))
    },
};
