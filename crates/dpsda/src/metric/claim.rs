//! The privacy claim of a run.

use super::{Build, Metric};
use crate::catalog::Listing;

/// `claim`
pub const LISTING: Listing<Build> = Listing {
    name: "claim",
    about: "The privacy claim of the run in short; in full under Privacy.",
    keys: &[],
    build: || Metric::fact(|run| run.plan.claim()).label("Claim").main(),
};
