//! What a run may say about privacy.

use super::{Build, Metric};
use crate::catalog::Listing;

/// `claim`
pub const LISTING: Listing<Build> = Listing {
    name: "claim",
    about: "What the run may say about privacy, in short; in full under Privacy.",
    keys: &[],
    build: || Metric::fact(|run| run.plan.claim()).label("Claim").main(),
};
