//! How fast regret grows.

use super::{Better, Build, Metric, Trials, pseudo_regret_per_round, regret_per_round};
use crate::bounds::exponent;
use crate::catalog::Listing;

/// p in `R(t) ~ t^p`.
pub const LISTING: Listing<Build> = Listing {
    name: "regret_exponent",
    about: "Slope of log regret (2) over log t: least squares on the mean over trials, over the last decade and a half \
            of rounds. From T = 1,000 on.",
    keys: &[],
    build: || {
        Metric::pooled(|trials| fitted(trials).map(|(power, _)| power))
            .label("Exponent of regret")
            .heading("p in regret\u{a0}~\u{a0}Tᵖ")
            .better(Better::Lower)
            .main()
            .follows(&pseudo_regret_per_round::LISTING)
            .terminal("regret ~ T^p", 9)
    },
};

/// p and its standard error.
pub(super) fn fitted(trials: &Trials<'_>) -> Option<(f64, Option<f64>)> {
    let whole =
        |curve: Vec<(u64, f64)>| curve.into_iter().map(|(t, per_round)| (t, per_round * t as f64)).collect();
    exponent::of_trials(&trials.curves(&regret_per_round::LISTING).into_iter().map(whole).collect::<Vec<_>>())
}
