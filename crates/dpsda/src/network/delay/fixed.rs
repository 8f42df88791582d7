//! The same delay for every message.

use super::{Build, Delay, given, rounds};
use crate::Error;
use crate::catalog::{Key, Listing};

/// Every message is `rounds` rounds late.
///
/// ```
/// use dpsda::network::delay::{Delay, FixedDelay};
/// assert_eq!(FixedDelay::new(2)?.rounds(10, 0, 1), 2);
/// assert!(FixedDelay::new(1001).is_err());
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedDelay {
    rounds: u64,
}

impl FixedDelay {
    /// Every message is `rounds` rounds late, 0 to 1,000.
    pub fn new(rounds: u64) -> Result<Self, Error> {
        Ok(Self { rounds: self::rounds("rounds", rounds)? })
    }
}

impl Delay for FixedDelay {
    fn rounds(&self, _: u64, _: usize, _: usize) -> u64 {
        self.rounds
    }

    fn longest(&self) -> u64 {
        self.rounds
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "fixed",
    about: "every message arrives the same number of rounds late",
    keys: &[Key { name: "rounds", about: "how many, 0 to 1000; must be given" }],
    build: |keys, _| {
        Ok(Box::new(FixedDelay::new(given(keys, "rounds")?).map_err(|error| keys.locate(error))?))
    },
};
