//! The privacy loss that the noise guarantees.

use super::{Build, Metric, Unit};
use crate::catalog::Listing;

/// `epsilon`
pub const LISTING: Listing<Build> = Listing {
    name: "epsilon",
    about: "Privacy loss: a bound for one event (a round or an example, see the claim) over the whole run, all links and \
            all decisions. None without a clip.",
    keys: &[],
    build: || {
        Metric::fact(|run| run.plan.epsilon().and_then(|_| run.plan.joint_cost().shown(run.plan.delta())))
            .label("Epsilon")
            .heading("ε")
            .unit(Unit::Epsilon)
            .main()
            .terminal("epsilon", 11)
            .answers("privacy.epsilon")
    },
};
