//! What the auditor cannot play by itself.

use dpsda::Error;
use dpsda::learner::{Links, Rule};
use dpsda::spec::Checked;

/// Why a specification is not played.
pub(super) enum Obstacle {
    /// Its messages vanish unnoticed.
    Losses,
    /// Its messages are late: by this many rounds at most.
    Delays(u64),
    /// Its links carry sums of shares.
    RunningSums,
    /// Every node has its own part of the cost.
    Parts(String),
    /// Every coordinate has its own step.
    CoordinateSteps,
}

impl Obstacle {
    /// The first one in the way.
    pub(super) fn of(spec: &Checked) -> Option<Self> {
        let network = spec.network();
        let late = network.map_or(0, |network| network.transit.longest());
        if network.is_some_and(|network| network.transit.lost.is_some()) {
            Some(Self::Losses)
        } else if late > 0 {
            Some(Self::Delays(late))
        } else if network.is_some_and(|network| network.links == Links::RunningSums) {
            Some(Self::RunningSums)
        } else if spec.style().splits_costs() {
            Some(Self::Parts(spec.algorithm().name().to_owned()))
        } else if spec.step().rule == Rule::Coordinate {
            Some(Self::CoordinateSteps)
        } else {
            None
        }
    }

    /// For a user of the library: names the method of `Spec`.
    pub(super) fn by_method(&self) -> Error {
        let (argument, found, remedy) = match self {
            Self::Losses => ("loss", "unnoticed".into(), "use `Spec::outage`, which both ends know of"),
            Self::Delays(late) => ("delay", rounds(*late), "leave the delay out"),
            Self::RunningSums => ("links", "RunningSums".into(), "use `Links::Naive`"),
            Self::Parts(name) => ("algorithm", format!("{name:?}"), "use e.g. `Relay`"),
            Self::CoordinateSteps => ("step", "one per coordinate".into(), "use `Step::decaying`"),
        };
        Error::value(argument, found, format!("{} ({remedy})", self.why()))
    }

    /// For a user of a file: names the key.
    pub(super) fn by_key(&self) -> Error {
        let (key, found, remedy) = match self {
            Self::Losses => ("network.loss.known", "false".into(), "use -s network.loss.known=true"),
            Self::Delays(late) => {
                ("network.delay", rounds(*late), "use -s 'network.delay={kind=\"fixed\",rounds=0}'")
            }
            Self::RunningSums => {
                ("algorithm.links", "\"running-sums\"".into(), "use -s algorithm.links=naive")
            }
            Self::Parts(name) => {
                ("algorithm.name", format!("{name:?}"), "use e.g. -s algorithm.name=dpsda-r")
            }
            Self::CoordinateSteps => {
                ("algorithm.steps", "\"coordinate\"".into(), "use -s algorithm.NAME.steps=decaying")
            }
        };
        Error::value(key, found, format!("{} ({remedy})", self.why()))
    }

    fn why(&self) -> &'static str {
        match self {
            Self::Losses => {
                "the audit plays where no message vanishes unnoticed; what is released is the same on every network"
            }
            Self::Delays(_) => {
                "the audit plays where no message is late; what is released is the same on every network"
            }
            Self::RunningSums => {
                "the audit reads shares, not sums of them; what is released is the same on every network"
            }
            Self::Parts(_) => "a baseline promises nothing, and there is nothing to audit",
            Self::CoordinateSteps => {
                "the audit solves decisions for their duals with decaying steps only; steps follow from released values, so \
                 the claim is the same with those"
            }
        }
    }
}

fn rounds(late: u64) -> String {
    format!("up to {late} rounds")
}
