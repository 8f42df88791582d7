//! Training accuracy of the decision with the least cost.

use super::{Build, DataSplit, Metric, ModelKind, Unit};
use crate::catalog::Listing;
use crate::score;

/// `accuracy_train_best`
pub const LISTING: Listing<Build> = Listing {
    name: "accuracy_train_best",
    about: "Accuracy on the training data of the best fixed decision in hindsight (best by cost, not by accuracy).",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Best, DataSplit::Train, |p| p.classes(score::accuracy))
            .label("Training accuracy of the best decision")
            .heading("train acc.\u{a0}%, best")
            .unit(Unit::Share)
    },
};
