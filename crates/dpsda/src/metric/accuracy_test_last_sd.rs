//! How much the last decision's accuracy on data held out differs between trials.

use super::{Build, Metric, accuracy_test_last};
use crate::catalog::Listing;

/// `accuracy_test_last_sd`
pub const LISTING: Listing<Build> = Listing {
    name: "accuracy_test_last_sd",
    about: "Standard deviation over trials of the last decision's accuracy on data held out.",
    keys: &[],
    build: || Metric::deviation(&accuracy_test_last::LISTING),
};
