//! Theorem 1 along the run, term by term.

use super::{Build, Curve, Metric, Unit, regret_per_round};
use crate::catalog::Listing;

/// Needs the constants of the problem.
pub const LISTING: Listing<Build> = Listing {
    name: "theorem1",
    about: "Theorem 1 on the rounds so far, per round: it bounds the regret of this run itself.",
    keys: &[],
    build: || {
        Metric::supplied()
            .label("Theorem 1")
            .unit(Unit::Cost)
            .without_column()
            .curve(Curve::new("Theorem 1 along the run.").bounds(&regret_per_round::LISTING).on_request())
    },
};
