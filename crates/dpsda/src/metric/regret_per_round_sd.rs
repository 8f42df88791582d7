//! How much regret differs between trials.

use super::{Build, Metric, regret_per_round};
use crate::catalog::Listing;

/// `regret_per_round_sd`
pub const LISTING: Listing<Build> = Listing {
    name: "regret_per_round_sd",
    about: "Standard deviation over trials of regret (2) over T.",
    keys: &[],
    build: || Metric::deviation(&regret_per_round::LISTING).beside(),
};
