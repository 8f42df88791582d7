//! Late messages: how many rounds pass between sending and arrival.
//!
//! [`Transit::late`](super::Transit::late) takes a [`FixedDelay`], a [`UniformDelay`] or a closure of yours ([`OwnDelay`]).

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
/// A `Box` or an `Arc` of a delay is a delay too.
///
/// ```
/// use dpsda::network::Transit;
/// use dpsda::network::delay::Delay;
///
/// /// Messages from or to node 0, behind a satellite, are two rounds late.
/// struct Satellite;
///
/// impl Delay for Satellite {
///     fn rounds(&self, _t: u64, from: usize, to: usize) -> u64 {
///         if from == 0 || to == 0 { 2 } else { 0 }
///     }
///
///     fn longest(&self) -> u64 {
///         2
///     }
/// }
///
/// let transit = Transit::prompt().late(Satellite);
/// assert_eq!((transit.arrival(7, 0, 1), transit.arrival(7, 1, 2)), (Some(9), Some(7)));
/// ```
pub trait Delay: Send + Sync {
    /// The delay, in rounds, of the message that `from` sends to `to` in round `t`; 0 means the same round.
    fn rounds(&self, t: u64, from: usize, to: usize) -> u64;

    /// The longest delay of any message.
    fn longest(&self) -> u64;
}

pointers! { Delay {
    fn rounds(&self, t: u64, from: usize, to: usize) -> u64;
    fn longest(&self) -> u64;
} }

/// Builds a delay from the keys of `network.delay`. Every row of [`DELAYS`] has one.
pub type Build = fn(&Keys<'_>, Seed) -> Result<Box<dyn Delay>, Error>;

family! {
    /// Every delay, by the name it has in `network.delay.kind`.
    DELAYS: Build = fixed, uniform
}

/// Delays are limited because messages in transit are kept in memory.
const LONGEST: u64 = 1000;

/// The delay that the table `network.delay` describes. An unknown key is an error.
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

/// Checks that an argument is an allowed number of rounds.
fn rounds(argument: &str, rounds: u64) -> Result<u64, Error> {
    if rounds <= LONGEST { Ok(rounds) } else { Err(Error::value(argument, rounds, expected())) }
}

/// The number of rounds under a key that must be given.
fn given(keys: &Keys<'_>, key: &str) -> Result<u64, Error> {
    keys.count(key, 0)?.ok_or_else(|| keys.bad(key, expected()))
}
