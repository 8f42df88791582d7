//! The standard error of the exponent of regret.

use super::{Build, Metric, Uncertainty, regret_exponent};
use crate::catalog::Listing;

/// `regret_exponent_se`
pub const LISTING: Listing<Build> = Listing {
    name: "regret_exponent_se",
    about: "Standard error of p, by leaving out each trial in turn; none for a single trial.",
    keys: &[],
    build: || {
        Metric::pooled(|trials| regret_exponent::fitted(trials).and_then(|(_, error)| error))
            .label("Exponent of regret, standard error")
            .heading("standard error of p")
            .spread(Uncertainty { of: (&regret_exponent::LISTING).into(), error: true, beside: true })
    },
};
