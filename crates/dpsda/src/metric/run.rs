//! The number of a run.

use super::{Build, Metric};
use crate::catalog::Listing;

/// `run`
pub const LISTING: Listing<Build> = Listing {
    name: "run",
    about: "Number of the run in its folder; the same in series.csv.",
    keys: &[],
    build: || Metric::fact(|run| run.run).label("Run"),
};
