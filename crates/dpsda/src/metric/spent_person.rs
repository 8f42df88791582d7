//! The privacy loss charged to one person.

use super::{Build, Metric};
use crate::catalog::Listing;

/// `spent_person`
pub const LISTING: Listing<Build> = Listing {
    name: "spent_person",
    about: "ε charged to one person, if the events per person are bounded.",
    keys: &[],
    build: || Metric::spent(|spent| spent.person).label("Spent per person").heading("spent, person"),
};
