//! Accuracy of the last decision on the training data.

use super::{Better, Build, DataSplit, Metric, ModelKind, Unit};
use crate::catalog::Listing;
use crate::score;

/// `accuracy_train_last`
pub const LISTING: Listing<Build> = Listing {
    name: "accuracy_train_last",
    about: "Accuracy of the last decision on the training data.",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Last, DataSplit::Train, |p| p.classes(score::accuracy))
            .label("Training accuracy of the last model")
            .heading("train acc.\u{a0}%,\u{a0}last")
            .unit(Unit::Share)
            .better(Better::Higher)
    },
};
