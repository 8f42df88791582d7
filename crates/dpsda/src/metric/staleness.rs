//! How old the oldest knowledge is.

use super::{Build, Curve, Metric, Unit};
use crate::catalog::Listing;

/// Of algorithms that keep blocks apart.
pub const LISTING: Listing<Build> = Listing {
    name: "staleness",
    about: "The most rounds by which any node's knowledge of another was out of date.",
    keys: &[],
    build: || {
        Metric::largest(|round| {
            let each = (0..round.fleet.learners()).filter_map(|i| round.fleet.staleness(i, round.t));
            each.max().unwrap_or(0) as f64
        })
        .when(|start| (0..start.fleet.learners()).any(|i| start.fleet.staleness(i, 0).is_some()))
        .largest_trial()
        .column_called("staleness_max")
        .label("Staleness")
        .unit(Unit::Rounds)
        .main()
        .terminal("stale", 2)
        .curve(
            Curve::new("The most rounds so far by which any node's knowledge of another was out of date.")
                .at_least(0.0),
        )
    },
};
