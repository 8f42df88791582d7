//! Messages that are late: how many rounds after it was sent a message is heard.

use super::outage::link;
use crate::rng::Seed;
use crate::{Error, Keys, catalog, family};

/// How late messages are: a pure function of the round and the link.
pub trait Delay: Send + Sync {
    /// How many rounds after `t` the message that `from` sends to `to` in round `t` arrives; 0: in the same round.
    fn rounds(&self, t: u64, from: usize, to: usize) -> u64;

    /// No message takes longer.
    fn longest(&self) -> u64;
}

crate::catalog::pointers! { Delay {
    fn rounds(&self, t: u64, from: usize, to: usize) -> u64;
    fn longest(&self) -> u64;
} }

/// Builds a delay from the keys of `network.delay`.
pub type Build = fn(&Keys<'_>, Seed) -> Result<Box<dyn Delay>, Error>;

family! {
    /// Every delay, by the name it has in `network.delay.kind`.
    DELAYS: Build = fixed, uniform
}

/// Messages on their way are kept in memory.
const LONGEST: u64 = 1000;

/// The delay of the table `network.delay`, read to its last key.
pub fn read(keys: Keys<'_>, seed: Seed) -> Result<Box<dyn Delay>, Error> {
    let names = || DELAYS.iter().map(|e| format!("{:?}", e.name)).collect::<Vec<_>>().join(" or ");
    let kind = keys.str("kind")?.ok_or_else(|| keys.bad("kind", format!("expected {}", names())))?;
    let entry = catalog::find(DELAYS, &keys.name("kind"), kind)?;
    let delay = (entry.build)(&keys, seed)?;
    keys.finish()?;
    Ok(delay)
}

/// A number of rounds that must be given.
fn count(keys: &Keys<'_>, key: &str) -> Result<u64, Error> {
    let expected = || keys.bad(key, format!("expected a whole number of rounds, 0 to {LONGEST}"));
    keys.count(key, 0)?.filter(|rounds| *rounds <= LONGEST).ok_or_else(expected)
}
