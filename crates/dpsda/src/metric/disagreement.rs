//! How far nodes are from agreeing.

use super::average::distance;
use super::{Better, Build, Curve, Metric, Unit};
use crate::catalog::Listing;
use crate::fleet::Fleet;

/// `1/T sum_t max_i |y_i(t) - mean_j y_j(t)|`
pub const LISTING: Listing<Build> = Listing {
    name: "disagreement",
    about: "Distance of the farthest node from the nodes' mean decision, mean over rounds.",
    keys: &[],
    build: || {
        Metric::mean(|round| farthest(round.fleet))
            .when(|start| start.fleet.learners() > 1)
            .label("Disagreement")
            .unit(Unit::Distance)
            .better(Better::Lower)
            .main()
            .terminal("disagree", 3)
            .curve(
                Curve::new(
                    "Distance of the farthest node from the nodes' mean decision, mean over rounds so far.",
                )
                .at_least(0.0),
            )
    },
};

/// `max_i |y_i - mean_j y_j|`. It is exactly 0 if all agree, because the mean is computed as the first plus the differences
/// from it.
fn farthest(fleet: &dyn Fleet) -> f64 {
    if fleet.learners() == 0 {
        return 0.0;
    }
    let (nodes, first) = (fleet.learners(), fleet.estimate(0));
    let mut mean = first.to_vec();
    for i in 0..nodes {
        let away = fleet.estimate(i).iter().zip(first).map(|(y, first)| (y - first) / nodes as f64);
        mean.iter_mut().zip(away).for_each(|(m, away)| *m += away);
    }
    (0..nodes).map(|i| distance(fleet.estimate(i), &mean)).fold(0.0, f64::max)
}
