//! The number of finished trials.

use super::{Build, Metric, Unit};
use crate::catalog::Listing;

/// `trials`
pub const LISTING: Listing<Build> = Listing {
    name: "trials",
    about: "Independent repetitions behind every mean.",
    keys: &[],
    build: || Metric::fact(|run| run.each.len() as u64).label("Trials").unit(Unit::Count).repeats("trials"),
};
