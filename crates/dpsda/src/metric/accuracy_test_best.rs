//! Accuracy of the best decision on data held out.

use super::{Build, DataSplit, Metric, ModelKind, Unit};
use crate::catalog::Listing;
use crate::score;

/// `accuracy_test_best`
pub const LISTING: Listing<Build> = Listing {
    name: "accuracy_test_best",
    about: "Accuracy on data held out of the best fixed decision in hindsight.",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Best, DataSplit::Test, |p| p.classes(score::accuracy))
            .label("Test accuracy of the best decision")
            .heading("test acc.\u{a0}%, best")
            .unit(Unit::Share)
    },
};
