//! Mean loss of the averaged decision on data held out.

use super::{Better, Build, DataSplit, Metric, ModelKind, Unit, accuracy_test_averaged};
use crate::catalog::Listing;

/// `loss_test_averaged`
pub const LISTING: Listing<Build> = Listing {
    name: "loss_test_averaged",
    about: "Mean loss of the averaged decision on data held out.",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Averaged, DataSplit::Test, |p| p.loss())
            .label("Test loss of the averaged model")
            .heading("test loss,\u{a0}averaged")
            .unit(Unit::Cost)
            .better(Better::Lower)
            .main()
            .terminal("test loss, avg", 9)
            .instead_of(&accuracy_test_averaged::LISTING)
    },
};
