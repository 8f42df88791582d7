//! ODA-C, online coordinate dual averaging (Lee, Nedic and Raginsky 2017): DPSDA-C that never noises, the parent of
//! `circulation.rs`. It needs no decomposable problem: all nodes see the same cost.

use super::gossip::Gossip;
use super::{Algorithm, Build, Facts, circulation};
use crate::catalog::Listing;

/// ODA-C: DPSDA-C without noise.
///
/// ```
/// use dpsda::learner::{Algorithm, oda_c::OdaC};
/// assert_eq!(Algorithm::from(OdaC).name(), "oda-c");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct OdaC;

const FACTS: Facts = circulation::FACTS.without_noise();

impl From<OdaC> for Algorithm {
    fn from(OdaC: OdaC) -> Self {
        Self::new(LISTING.name, FACTS, Gossip::new)
    }
}

/// `oda-c`
pub const LISTING: Listing<Build> = Listing {
    name: "oda-c",
    about: "baseline: DPSDA-C without noise, whatever the level (Lee 2017)",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(OdaC.into()) },
};
