//! Accuracy of the averaged decision on the training data.

use super::{Better, Build, DataSplit, Metric, ModelKind, Unit};
use crate::catalog::Listing;
use crate::score;

/// `accuracy_train_averaged`
pub const LISTING: Listing<Build> = Listing {
    name: "accuracy_train_averaged",
    about: "Accuracy of the averaged decision on the training data.",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Averaged, DataSplit::Train, |p| p.classes(score::accuracy))
            .label("Training accuracy of the averaged model")
            .heading("train acc.\u{a0}%, averaged")
            .unit(Unit::Share)
            .better(Better::Higher)
    },
};
