//! What one event was charged.

use super::{Build, Metric};
use crate::catalog::Listing;

/// `spent_event`
pub const LISTING: Listing<Build> = Listing {
    name: "spent_event",
    about: "ε that the ledgers of all nodes charged the most expensive event, at the run's δ.",
    keys: &[],
    build: || Metric::spent(|spent| Some(spent.event)).label("Spent per event").heading("spent, event"),
};
