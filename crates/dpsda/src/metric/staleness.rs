//! Staleness: the age of the oldest information that a node used.

use super::{Build, Curve, Metric, Unit};
use crate::catalog::Listing;

/// Only for algorithms that keep a copy per block.
pub const LISTING: Listing<Build> = Listing {
    name: "staleness",
    about: "The largest age, in rounds, of what any node knew about another.",
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
            Curve::new("The largest age so far, in rounds, of what any node knew about another.")
                .at_least(0.0),
        )
    },
};
