//! Messages that are late: how many rounds after it was sent a message is heard.
//!
//! [`Transit::late`](super::Transit::late) makes messages late by [`FixedDelay`], [`UniformDelay`] or a closure of yours, [`OwnDelay`].

use super::outage::link;
use crate::catalog::{self, pointers};
use crate::rng::Seed;
use crate::{Error, Keys, family};

mod own;

pub use fixed::FixedDelay;
pub use own::OwnDelay;
pub use uniform::UniformDelay;

/// How late messages are: a pure function of the round and the link.
///
/// A `Box` or an `Arc` of a delay is that delay.
pub trait Delay: Send + Sync {
    /// How many rounds after `t` the message that `from` sends to `to` in round `t` arrives; 0: in the same round.
    fn rounds(&self, t: u64, from: usize, to: usize) -> u64;

    /// No message takes longer.
    fn longest(&self) -> u64;
}

pointers! { Delay {
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
///
/// ```
/// use dpsda::keys::{Table, Value};
/// use dpsda::network::delay;
/// use dpsda::{Keys, rng::Seed};
/// let table = Table::from([("kind".into(), "fixed".into()), ("rounds".into(), Value::Integer(2))]);
/// assert_eq!(delay::read(Keys::new("network.delay", &table), Seed::new(1))?.longest(), 2);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn read(keys: Keys<'_>, seed: Seed) -> Result<Box<dyn Delay>, Error> {
    let names = || DELAYS.iter().map(|e| format!("{:?}", e.name)).collect::<Vec<_>>().join(" or ");
    let kind = keys.str("kind")?.ok_or_else(|| keys.bad("kind", format!("expected {}", names())))?;
    let entry = catalog::find(DELAYS, &keys.name("kind"), kind)?;
    let delay = (entry.build)(&keys, seed)?;
    keys.finish()?;
    Ok(delay)
}

fn expected() -> String {
    format!("expected a whole number of rounds, 0 to {LONGEST}")
}

/// An argument that must be a number of rounds.
fn rounds(argument: &str, rounds: u64) -> Result<u64, Error> {
    if rounds <= LONGEST { Ok(rounds) } else { Err(Error::value(argument, rounds, expected())) }
}

/// A number of rounds that must be given.
fn given(keys: &Keys<'_>, key: &str) -> Result<u64, Error> {
    keys.count(key, 0)?.ok_or_else(|| keys.bad(key, expected()))
}
