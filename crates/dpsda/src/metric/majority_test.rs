//! The accuracy of always predicting the larger class.

use super::{Build, DataSplit, Metric, ModelKind, Unit};
use crate::catalog::Listing;
use crate::score;

/// `majority_test`
pub const LISTING: Listing<Build> = Listing {
    name: "majority_test",
    about: "Accuracy of always predicting the larger class, on data held out.",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Averaged, DataSplit::Test, |p| {
            p.classes(|_, labels| score::majority_rate(labels))
        })
        .label("Majority rate")
        .heading("majority %")
        .unit(Unit::Share)
    },
};
