//! Balanced accuracy: both classes weigh the same.

use super::{Better, Build, DataSplit, Metric, ModelKind, Unit};
use crate::catalog::Listing;
use crate::score;

/// `balanced_accuracy_test_averaged`
pub const LISTING: Listing<Build> = Listing {
    name: "balanced_accuracy_test_averaged",
    about: "Mean of the accuracies of the two classes: averaged decision, data held out.",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Averaged, DataSplit::Test, |p| p.classes(score::balanced_accuracy))
            .label("Balanced test accuracy of the averaged model")
            .heading("balanced test acc.\u{a0}%, averaged")
            .unit(Unit::Share)
            .better(Better::Higher)
    },
};
