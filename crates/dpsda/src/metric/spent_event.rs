//! The privacy loss charged to one event.

use super::{Build, Metric};
use crate::catalog::Listing;

/// `spent_event`
pub const LISTING: Listing<Build> = Listing {
    name: "spent_event",
    about: "ε charged to the most expensive event, over the ledgers of all nodes, for the δ of the run.",
    keys: &[],
    build: || Metric::spent(|spent| Some(spent.event)).label("Spent per event").heading("spent, event"),
};
