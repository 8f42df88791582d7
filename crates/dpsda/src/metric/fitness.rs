//! The average cost, from which regret is computed.

use super::{Better, Build, Curve, Metric, Unit, mean};
use crate::catalog::Listing;

/// `1/T sum_t f_t(x(t))`
pub const LISTING: Listing<Build> = Listing {
    name: "fitness",
    about: "Average cost of the decisions played, over all rounds.",
    keys: &[],
    build: || {
        Metric::mean(|round| mean(round.costs))
            .label("Average cost")
            .heading("avg. cost")
            .unit(Unit::Cost)
            .better(Better::Lower)
            .main()
            .terminal("cost", 5)
            .curve(Curve::new("Mean cost of the decisions played so far."))
    },
};
