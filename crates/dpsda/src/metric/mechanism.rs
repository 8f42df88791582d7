//! The mechanism of a run.

use super::{Build, Metric};
use crate::catalog::Listing;

/// `mechanism`
pub const LISTING: Listing<Build> = Listing {
    name: "mechanism",
    about: "The mechanism that draws the noise.",
    keys: &[],
    build: || Metric::fact(|run| run.mechanism.to_owned()).label("Mechanism").repeats("privacy.mechanism"),
};
