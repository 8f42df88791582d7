//! How precisely the cost of the best decision is known.

use super::{Build, Metric, Unit};
use crate::catalog::Listing;

/// `comparator_gap`
pub const LISTING: Listing<Build> = Listing {
    name: "comparator_gap",
    about: "Certified bound on how far the cost of the comparator is from that of the best decision.",
    keys: &[],
    build: || Metric::pooled(|trials| trials.gap).label("Comparator gap").unit(Unit::Cost),
};
