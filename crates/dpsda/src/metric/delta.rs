//! The delta of the claim.

use super::{Build, Metric};
use crate::catalog::Listing;

/// `delta`
pub const LISTING: Listing<Build> = Listing {
    name: "delta",
    about: "The failure probability that goes with ε.",
    keys: &[],
    build: || {
        Metric::fact(|run| run.plan.claimed_delta())
            .label("Delta")
            .heading("δ")
            .main()
            .answers("privacy.delta")
    },
};
