//! ODA-PS, online coordinate dual averaging (Lee, Nedic and Raginsky 2017): DPSDA-PS that never noises, the parent of
//! `push_sum.rs`. It needs no decomposable problem: all nodes see the same cost.

use super::gossip::Gossip;
use super::{Algorithm, Build, Facts, push_sum};
use crate::catalog::Listing;

/// ODA-PS: DPSDA-PS without noise.
///
/// ```
/// use dpsda::learner::{Algorithm, oda_ps::OdaPs};
/// assert_eq!(Algorithm::from(OdaPs).name(), "oda-ps");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct OdaPs;

const FACTS: Facts = push_sum::FACTS.without_noise();

impl From<OdaPs> for Algorithm {
    fn from(OdaPs: OdaPs) -> Self {
        Self::new(LISTING.name, FACTS, Gossip::new)
    }
}

/// `oda-ps`
pub const LISTING: Listing<Build> = Listing {
    name: "oda-ps",
    about: "baseline: DPSDA-PS without noise, whatever the level (Lee 2017)",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(OdaPs.into()) },
};
