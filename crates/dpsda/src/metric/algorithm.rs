//! Which algorithm learned.

use super::{Build, Metric};
use crate::catalog::Listing;

/// `algorithm`
pub const LISTING: Listing<Build> = Listing {
    name: "algorithm",
    about: "The algorithm that learned.",
    keys: &[],
    build: || {
        Metric::fact(|run| run.algorithm.to_owned())
            .label("Algorithm")
            .main()
            .names_rows()
            .repeats("algorithm.name")
    },
};
