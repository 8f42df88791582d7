//! The number of rounds.

use super::{Build, Metric, Unit};
use crate::catalog::Listing;

/// `rounds`
pub const LISTING: Listing<Build> = Listing {
    name: "rounds",
    about: "T, the number of rounds played.",
    keys: &[],
    build: || Metric::fact(|run| run.rounds).label("Rounds").unit(Unit::Rounds).repeats("rounds"),
};
