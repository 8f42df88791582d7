//! Regret against a sequence of decisions that changes over time.

use super::{Better, Build, Metric, Unit, fitness, mean};
use crate::catalog::Listing;

/// `1/T sum_t f_t(x(t)) - f_t(u(t))`
pub const LISTING: Listing<Build> = Listing {
    name: "dynamic_regret_per_round",
    about: "Cost minus that of a sequence of decisions that may change (`dynamic`), over T. Mean over trials.",
    keys: &[],
    build: || {
        Metric::pooled(|trials| {
            let one =
                |trial: &super::Finished<'_>| Some(trial.curves.last(&fitness::LISTING)? - trial.sequence?);
            let all: Option<Vec<f64>> = trials.each.iter().map(one).collect();
            all.filter(|all| !all.is_empty()).map(|all| mean(&all))
        })
        .label("Dynamic regret per round")
        .heading("dynamic /\u{a0}T")
        .unit(Unit::Cost)
        .better(Better::Lower)
        .terminal("dynamic/T", 5)
    },
};
