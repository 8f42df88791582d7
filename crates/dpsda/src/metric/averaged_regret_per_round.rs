//! Regret (19): that of the averaged decisions.

use super::{Build, Curve, Metric, averaged_fitness};
use crate::catalog::Listing;

/// (19), per round.
pub const LISTING: Listing<Build> = Listing {
    name: "averaged_regret_per_round",
    about: "Regret (19) over T, of the decisions averaged so far.",
    keys: &[],
    build: || {
        Metric::regret(&averaged_fitness::LISTING)
            .label("Regret per round of the averaged model")
            .heading("averaged /\u{a0}T")
            .main()
            .terminal("averaged/T", 6)
            .curve(
                Curve::new("Regret (19) over t, of the decisions averaged so far.")
                    .total("Regret of the averaged model", "Regret (19), of the decisions averaged so far."),
            )
    },
};
