//! Accuracy of the last decision on data held out.

use super::{Better, Build, DataSplit, Metric, ModelKind, Unit};
use crate::catalog::Listing;
use crate::score;

/// `accuracy_test_last`
pub const LISTING: Listing<Build> = Listing {
    name: "accuracy_test_last",
    about: "Accuracy of the last decision on data held out.",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Last, DataSplit::Test, |p| p.classes(score::accuracy))
            .label("Test accuracy of the last model")
            .heading("test acc.\u{a0}%,\u{a0}last")
            .unit(Unit::Share)
            .better(Better::Higher)
            .main()
            .terminal("test, last", 8)
    },
};
