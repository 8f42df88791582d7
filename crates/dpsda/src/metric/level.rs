//! The paper's label for the noise.

use super::{Build, Metric};
use crate::catalog::Listing;

/// `level`
pub const LISTING: Listing<Build> = Listing {
    name: "level",
    about: "The paper's label for the noise: the same signal-to-noise ratio for every DPSDA algorithm. It names a setting \
            and guarantees nothing.",
    keys: &[],
    build: || Metric::fact(|run| run.level).label("Level").main().names_rows().repeats("privacy.level"),
};
