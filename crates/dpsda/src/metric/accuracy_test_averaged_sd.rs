//! How much the averaged decision's accuracy on data held out differs between trials.

use super::{Build, Metric, accuracy_test_averaged};
use crate::catalog::Listing;

/// `accuracy_test_averaged_sd`
pub const LISTING: Listing<Build> = Listing {
    name: "accuracy_test_averaged_sd",
    about: "Standard deviation over trials of the averaged decision's accuracy on data held out.",
    keys: &[],
    build: || Metric::deviation(&accuracy_test_averaged::LISTING),
};
