//! How far decisions are outside the set.

use super::{Build, Curve, Metric, Unit};
use crate::catalog::Listing;
use crate::fleet::distance;
use crate::set::ConvexSet;

/// `max_t |x(t) - P(x(t))|`
pub const LISTING: Listing<Build> = Listing {
    name: "violation",
    about: "The largest distance between an assembled decision and the set.",
    keys: &[],
    build: || {
        Metric::largest(|round| round.models.iter().map(|x| outside(round.set, x)).fold(0.0, f64::max))
            .largest_trial()
            .column_called("violation_max")
            .label("Violation")
            .unit(Unit::Distance)
            .terminal("outside", 4)
            .unless_zero()
            .curve(
                Curve::new("The largest distance so far between an assembled decision and the set.")
                    .at_least(0.0),
            )
    },
};

/// The distance to the set; a distance that rounding can explain counts as 0.
fn outside(set: &dyn ConvexSet, x: &[f64]) -> f64 {
    let mut nearest = x.to_vec();
    set.project(&mut nearest);
    let away = distance(x, &nearest);
    let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if away <= 1e-14 * (1.0 + size) { 0.0 } else { away }
}
