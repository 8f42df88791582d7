//! Regret (2), the main measure of learning.

use super::{Build, Curve, Metric, fitness};
use crate::catalog::Listing;

/// (2), per round.
pub const LISTING: Listing<Build> = Listing {
    name: "regret_per_round",
    about: "Regret (2) over T: cost minus that of the best fixed decision of the set in hindsight. Mean ± standard \
            deviation over trials.",
    keys: &[],
    build: || {
        Metric::regret(&fitness::LISTING)
            .label("Regret per round")
            .heading("regret /\u{a0}T")
            .main()
            .terminal("regret/T", 10)
            .curve(
                Curve::new("Cost beyond that of the best fixed decision in hindsight: regret (2) over t.")
                    .total("Regret", "Cost beyond that of the best fixed decision in hindsight: regret (2)."),
            )
    },
};
