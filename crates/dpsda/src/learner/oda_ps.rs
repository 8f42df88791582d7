//! ODA-PS, online coordinate dual averaging (Lee, Nedic and Raginsky 2017): DPSDA-PS that never noises, the parent of
//! `push_sum.rs`. A decomposable problem it does not need: all nodes see the same cost.

use super::{Algorithm, Noises, push_sum};
use crate::catalog::Listing;

/// `oda-ps`
pub const LISTING: Listing<Algorithm> = Listing {
    name: "oda-ps",
    about: "baseline: DPSDA-PS without noise, at any level (Lee 2017)",
    keys: &[],
    build: Algorithm { noises: Noises::Nothing, ..push_sum::LISTING.build },
};
