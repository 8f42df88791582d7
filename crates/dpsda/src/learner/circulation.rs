//! DPSDA-C, Algorithm 1: circulation over undirected networks.

use super::gossip::Gossip;
use super::{Algorithm, Build, Facts, Graphs, Mixes};
use crate::catalog::Listing;

/// DPSDA-C, Algorithm 1: circulation over undirected links.
///
/// ```
/// use dpsda::learner::{Algorithm, Circulation};
/// assert_eq!(Algorithm::from(Circulation).name(), "dpsda-c");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Circulation;

pub(super) const FACTS: Facts = Facts::average(Mixes::Rows("metropolis")).on(Graphs::Undirected);

impl From<Circulation> for Algorithm {
    fn from(Circulation: Circulation) -> Self {
        Self::durable(LISTING.name, FACTS, Gossip::new).known()
    }
}

/// `dpsda-c`
pub const LISTING: Listing<Build> = Listing {
    name: "dpsda-c",
    about: "DPSDA-C, the paper's Algorithm 1: noised duals are averaged over undirected links",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(Circulation.into()) },
};
