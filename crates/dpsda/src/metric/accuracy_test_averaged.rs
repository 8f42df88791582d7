//! Accuracy of the averaged decision on data held out.

use super::{Better, Build, DataSplit, Metric, ModelKind, Unit};
use crate::catalog::Listing;
use crate::score;

/// `accuracy_test_averaged`
pub const LISTING: Listing<Build> = Listing {
    name: "accuracy_test_averaged",
    about: "Accuracy of the averaged decision on data held out.",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Averaged, DataSplit::Test, |p| p.classes(score::accuracy))
            .label("Test accuracy of the averaged model")
            .heading("test acc.\u{a0}%, averaged")
            .unit(Unit::Share)
            .better(Better::Higher)
            .main()
            .terminal("test, avg", 9)
    },
};
