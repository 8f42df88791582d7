//! The average cost of the averaged decisions, from which regret (19) is computed.

use super::{Better, Build, Metric, Unit, mean};
use crate::catalog::Listing;

/// `1/T sum_t f_t(x~(t))`
pub const LISTING: Listing<Build> = Listing {
    name: "averaged_fitness",
    about: "Average cost of the averaged decisions of (19), over all rounds.",
    keys: &[],
    build: || {
        Metric::mean(|round| {
            let cost = |x: &Vec<f64>| round.f.value(&round.f.enacted(x));
            let costs: Vec<f64> = round.averaged.iter().map(cost).collect();
            mean(&costs)
        })
        .label("Average cost of the averaged model")
        .unit(Unit::Cost)
        .better(Better::Lower)
        .without_column()
    },
};
