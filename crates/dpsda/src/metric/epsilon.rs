//! The privacy loss that the noise guarantees.

use super::{Build, Metric, Unit};
use crate::catalog::Listing;

/// `epsilon`
pub const LISTING: Listing<Build> = Listing {
    name: "epsilon",
    about: "Privacy loss: a bound for one event (a round, an example or one agent's round, see the claim) over the whole run, \
            all links and all decisions. `inf` with a clip and no noise. None without a clip.",
    keys: &[],
    build: || {
        Metric::fact(|run| match run.plan.epsilon() {
            Some(_) => run.plan.joint_cost().shown(run.plan.delta()),
            // Such a run stands beside others with an epsilon.
            None => {
                (run.plan.asked().is_silent() && run.plan.asked().clip.is_some()).then_some(f64::INFINITY)
            }
        })
        .label("Epsilon")
        .heading("ε")
        .unit(Unit::Epsilon)
        .main()
        .terminal("epsilon", 11)
        .answers("privacy.epsilon")
    },
};
