//! DPSDA-PS, Algorithm 2: push-sum over directed networks.

use super::gossip::Gossip;
use super::{Algorithm, Build, Facts, Mixes};
use crate::catalog::Listing;

/// DPSDA-PS, Algorithm 2: push-sum along directed links.
///
/// ```
/// use dpsda::learner::{Algorithm, PushSum};
/// assert_eq!(Algorithm::from(PushSum).name(), "dpsda-ps");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct PushSum;

pub(super) const FACTS: Facts = Facts::average(Mixes::Columns("push-sum"));

impl From<PushSum> for Algorithm {
    fn from(PushSum: PushSum) -> Self {
        Self::durable(LISTING.name, FACTS, Gossip::new).known()
    }
}

/// `dpsda-ps`
pub const LISTING: Listing<Build> = Listing {
    name: "dpsda-ps",
    about: "DPSDA-PS, the paper's Algorithm 2: noised duals and a weight are pushed along directed links",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(PushSum.into()) },
};
