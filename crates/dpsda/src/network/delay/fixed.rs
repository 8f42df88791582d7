//! Every message is equally late.

use super::{Build, Delay, count};
use crate::catalog::{Key, Listing};

/// `rounds`, always.
pub const LISTING: Listing<Build> = Listing {
    name: "fixed",
    about: "every message arrives the same number of rounds late",
    keys: &[Key { name: "rounds", about: "how many, 0 to 1000; must be given" }],
    build: |keys, _| Ok(Box::new(Fixed { rounds: count(keys, "rounds")? })),
};

struct Fixed {
    rounds: u64,
}

impl Delay for Fixed {
    fn rounds(&self, _: u64, _: usize, _: usize) -> u64 {
        self.rounds
    }

    fn longest(&self) -> u64 {
        self.rounds
    }
}
