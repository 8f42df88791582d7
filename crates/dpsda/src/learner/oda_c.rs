//! ODA-C, online coordinate dual averaging (Lee, Nedic and Raginsky 2017): DPSDA-C that never noises, the parent of
//! `circulation.rs`. A decomposable problem it does not need: all nodes see the same cost.

use super::{Algorithm, Noises, circulation};
use crate::catalog::Listing;

/// `oda-c`
pub const LISTING: Listing<Algorithm> = Listing {
    name: "oda-c",
    about: "baseline: DPSDA-C without noise, at any level (Lee 2017)",
    keys: &[],
    build: Algorithm { noises: Noises::Nothing, ..circulation::LISTING.build },
};
