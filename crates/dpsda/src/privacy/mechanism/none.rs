//! No privacy, said aloud.

use super::{Build, Kind};
use crate::catalog::Listing;
use crate::privacy::clip::Norm;

/// `none`
pub const LISTING: Listing<Kind> = Listing {
    name: "none",
    about: "no noise: gradients are published as they are, and the ledger says so",
    keys: &[],
    build: Kind { norm: Norm::L1, correlated: false, build: Build::Nothing },
};
