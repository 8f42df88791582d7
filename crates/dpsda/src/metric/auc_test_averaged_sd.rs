//! How much the averaged decision's AUC on data held out differs between trials.

use super::{Build, Metric, auc_test_averaged};
use crate::catalog::Listing;

/// `auc_test_averaged_sd`
pub const LISTING: Listing<Build> = Listing {
    name: "auc_test_averaged_sd",
    about: "Standard deviation over trials of the averaged decision's AUC on data held out.",
    keys: &[],
    build: || Metric::deviation(&auc_test_averaged::LISTING),
};
