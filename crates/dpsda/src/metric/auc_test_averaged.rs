//! Area under the ROC curve.

use super::{Better, Build, DataSplit, Metric, ModelKind};
use crate::catalog::Listing;
use crate::score;

/// `auc_test_averaged`
pub const LISTING: Listing<Build> = Listing {
    name: "auc_test_averaged",
    about: "Area under the ROC curve of the averaged decision, on data held out.",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Averaged, DataSplit::Test, |p| p.classes(score::auc))
            .label("AUC of the averaged model")
            .heading("AUC")
            .better(Better::Higher)
            .main()
    },
};
