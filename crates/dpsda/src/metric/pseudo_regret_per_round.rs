//! Pseudo-regret (3).

use super::{Better, Build, Metric, Unit, fitness, mean};
use crate::catalog::Listing;

/// (3), per round.
pub const LISTING: Listing<Build> = Listing {
    name: "pseudo_regret_per_round",
    about: "Pseudo-regret (3) over T: mean cost minus that of the best single decision for all trials together.",
    keys: &[],
    build: || {
        Metric::pooled(|trials| Some(mean(&trials.values(&fitness::LISTING)) - trials.common?))
            .label("Pseudo-regret per round")
            .heading("pseudo /\u{a0}T")
            .unit(Unit::Cost)
            .better(Better::Lower)
            .main()
            .terminal("pseudo/T", 1)
    },
};
