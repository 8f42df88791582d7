//! Links that are off for a while: one random process per link.
//!
//! Both ends may know of an outage before they set weights: [`Faulty`](super::Faulty) then removes the link. Or neither end
//! notices: [`Transit::losing`](super::Transit::losing) then loses the message.
//!
//! [`Bernoulli`] has no memory, [`GilbertElliott`] fails in bursts, [`OwnOutage`] is a closure of yours.

use crate::catalog::{self, pointers};
use crate::family;
use crate::rng::Seed;
use crate::{Error, Keys};

mod own;

pub use bernoulli::Bernoulli;
pub use gilbert_elliott::GilbertElliott;
pub use own::OwnOutage;

/// Whether a link works: a pure function of the round.
///
/// A `Box` or an `Arc` of an outage is an outage too.
///
/// ```
/// use dpsda::network::outage::Outage;
/// use dpsda::network::{Complete, Faulty, Topology};
///
/// /// Node 0 is off in every tenth round.
/// struct Maintenance;
///
/// impl Outage for Maintenance {
///     fn up(&self, t: u64, from: usize, to: usize) -> bool {
///         t % 10 != 9 || (from != 0 && to != 0)
///     }
/// }
///
/// let graph = Faulty::new(Complete::new(3)?, Maintenance);
/// assert_eq!((graph.graph(8).links().count(), graph.graph(9).links().count()), (6, 2));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait Outage: Send + Sync {
    /// Whether the link `from -> to` works in round `t`.
    fn up(&self, t: u64, from: usize, to: usize) -> bool;
}

pointers! { Outage {
    fn up(&self, t: u64, from: usize, to: usize) -> bool;
} }

/// Builds an outage process from the keys of `network.loss`. Every row of [`OUTAGES`] has one.
pub type Build = fn(&Keys<'_>, Seed) -> Result<Box<dyn Outage>, Error>;

family! {
    /// Every outage process, by the name it has in `network.loss.kind`.
    OUTAGES: Build = bernoulli, gilbert_elliott
}

/// The outage process that the table `network.loss` describes, and whether both ends know of outages (`known`). An unknown
/// key is an error.
///
/// ```
/// use dpsda::keys::Table;
/// use dpsda::network::outage;
/// use dpsda::{Keys, rng::Seed};
/// let table = Table::from([("kind".into(), "bernoulli".into()), ("rate".into(), 0.1.into())]);
/// let (outage, known) = outage::read(Keys::new("network.loss", &table), Seed::new(1))?;
/// assert!(known && (0..99).any(|t| !outage.up(t, 0, 1)));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn read(keys: Keys<'_>, seed: Seed) -> Result<(Box<dyn Outage>, bool), Error> {
    let names = || OUTAGES.iter().map(|e| format!("{:?}", e.name)).collect::<Vec<_>>().join(" or ");
    let kind = keys.str("kind")?.ok_or_else(|| keys.bad("kind", format!("expected {}", names())))?;
    let entry = catalog::find(OUTAGES, &keys.name("kind"), kind)?;
    let known = keys.bool("known")?.unwrap_or(true);
    let outage = (entry.build)(&keys, seed)?;
    keys.finish()?;
    Ok((outage, known))
}

/// The number of a link, different for every ordered pair of nodes.
pub(super) fn link(from: usize, to: usize) -> u64 {
    (from as u64) << 32 | to as u64
}

const PROBABILITY: &str = "expected a probability, 0 to 1";

/// Checks that an argument is a probability.
fn probability(argument: &str, p: f64) -> Result<f64, Error> {
    if (0.0..=1.0).contains(&p) { Ok(p) } else { Err(Error::value(argument, p, PROBABILITY)) }
}

/// The number under a key that must be given.
fn given(keys: &Keys<'_>, key: &str) -> Result<f64, Error> {
    keys.f64(key)?.ok_or_else(|| keys.bad(key, PROBABILITY))
}
