//! Mean loss of the last decision on data held out.

use super::{Better, Build, DataSplit, Metric, ModelKind, Unit, accuracy_test_last};
use crate::catalog::Listing;

/// `loss_test_last`
pub const LISTING: Listing<Build> = Listing {
    name: "loss_test_last",
    about: "Mean loss of the last decision on data held out.",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Last, DataSplit::Test, |p| p.loss())
            .label("Test loss of the last model")
            .heading("test loss,\u{a0}last")
            .unit(Unit::Cost)
            .better(Better::Lower)
            .main()
            .terminal("test loss, last", 8)
            .instead_of(&accuracy_test_last::LISTING)
    },
};
