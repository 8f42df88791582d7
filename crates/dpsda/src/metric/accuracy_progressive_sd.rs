//! How much the online accuracy differs between trials.

use super::{Build, Metric, accuracy_progressive};
use crate::catalog::Listing;

/// `accuracy_progressive_sd`
pub const LISTING: Listing<Build> = Listing {
    name: "accuracy_progressive_sd",
    about: "Standard deviation over trials of the online accuracy.",
    keys: &[],
    build: || Metric::deviation(&accuracy_progressive::LISTING),
};
