//! The privacy loss charged to someone who takes part in every round.

use super::{Build, Metric};
use crate::catalog::Listing;

/// `spent_lifetime`
pub const LISTING: Listing<Build> = Listing {
    name: "spent_lifetime",
    about: "ε charged to someone who takes part in every round, by basic composition or zCDP.",
    keys: &[],
    build: || {
        Metric::spent(|spent| Some(spent.lifetime)).label("Spent over a lifetime").heading("spent, lifetime")
    },
};
