//! Theorem A along the run.

use super::{Build, Curve, Metric, Unit, regret_per_round};
use crate::catalog::Listing;

/// Needs the constants of the problem and the analysis of the network.
pub const LISTING: Listing<Build> = Listing {
    name: "regret_bound",
    about: "Proved bound on expected regret per round, from the real contraction or staleness of the graphs.",
    keys: &[],
    build: || {
        Metric::supplied().label("Bound on regret").unit(Unit::Cost).without_column().curve(
            Curve::new(
                "Proved bound on expected regret per round, from the real contraction or staleness of the graphs.",
            )
            .bounds(&regret_per_round::LISTING)
            .on_request(),
        )
    },
};
