//! ODA-PS, online coordinate dual averaging (Lee, Nedic and Raginsky 2017): DPSDA-PS that never noises, the parent of
//! `push_sum.rs`. A decomposable problem it does not need: all nodes see the same cost.

use super::gossip::Gossip;
use super::{Algorithm, Build, Facts, push_sum};
use crate::catalog::Listing;

/// ODA-PS: DPSDA-PS without noise.
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
    about: "baseline: DPSDA-PS without noise, at any level (Lee 2017)",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(OdaPs.into()) },
};
