//! AUC of the best decision on data held out.

use super::{Build, DataSplit, Metric, ModelKind};
use crate::catalog::Listing;
use crate::score;

/// `auc_test_best`
pub const LISTING: Listing<Build> = Listing {
    name: "auc_test_best",
    about: "Area under the ROC curve of the best fixed decision in hindsight, on data held out.",
    keys: &[],
    build: || {
        Metric::score(ModelKind::Best, DataSplit::Test, |p| p.classes(score::auc))
            .label("AUC of the best decision")
            .heading("AUC, best")
    },
};
