//! How far nodes are from agreeing.

use super::{Better, Build, Curve, Metric, Unit};
use crate::catalog::Listing;

/// `1/T sum_t max_i |y_i(t) - mean_j y_j(t)|`
pub const LISTING: Listing<Build> = Listing {
    name: "disagreement",
    about: "Distance of the farthest node from the nodes' mean decision, mean over rounds.",
    keys: &[],
    build: || {
        Metric::mean(|round| round.fleet.disagreement())
            .when(|start| start.fleet.learners() > 1)
            .label("Disagreement")
            .unit(Unit::Distance)
            .better(Better::Lower)
            .main()
            .terminal("disagree", 3)
            .curve(
                Curve::new(
                    "Distance of the farthest node from the nodes' mean decision, mean over rounds so far.",
                )
                .at_least(0.0),
            )
    },
};
