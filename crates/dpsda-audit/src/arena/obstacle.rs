//! Specifications that the auditor cannot play.

use dpsda::Error;
use dpsda::learner::{Links, Rule};
use dpsda::spec::Checked;

/// Why a specification cannot be played.
pub(super) enum Obstacle {
    /// Messages are lost unnoticed.
    Losses,
    /// Messages are late, by at most this many rounds.
    Delays(u64),
    /// Links carry running sums.
    RunningSums,
    /// Every node has its own part of the cost.
    Parts(String),
    /// Every coordinate has its own step.
    CoordinateSteps,
    /// Steps follow from all that is released.
    AutoSteps,
}

impl Obstacle {
    /// The first obstacle of a specification.
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
        } else if spec.step().rule == Rule::Auto {
            Some(Self::AutoSteps)
        } else {
            None
        }
    }

    /// The error for a user of the library: names the method of `Spec`.
    pub(super) fn by_method(&self) -> Error {
        let (argument, found, remedy) = match self {
            Self::Losses => ("loss", "unnoticed".into(), "use `Spec::outage`, which both ends know of"),
            Self::Delays(late) => ("delay", rounds(*late), "leave the delay out"),
            Self::RunningSums => ("links", "RunningSums".into(), "use `Links::Naive`"),
            Self::Parts(name) => ("algorithm", format!("{name:?}"), "use e.g. `Relay`"),
            Self::CoordinateSteps => ("step", "one per coordinate".into(), "use `Step::decaying`"),
            Self::AutoSteps => ("step", "automatic".into(), "use `Step::decaying`"),
        };
        Error::value(argument, found, format!("{} ({remedy})", self.why()))
    }

    /// The error for a user of a file: names the key.
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
            Self::AutoSteps => ("algorithm.step", "\"auto\"".into(), "use -s algorithm.NAME.step=1.0"),
        };
        Error::value(key, found, format!("{} ({remedy})", self.why()))
    }

    fn why(&self) -> &'static str {
        match self {
            Self::Losses => {
                "the audit plays on a network without unnoticed losses; releases are the same on every network"
            }
            Self::Delays(_) => {
                "the audit plays on a network without delays; releases are the same on every network"
            }
            Self::RunningSums => {
                "the audit reads single shares, not running sums; releases are the same on every network"
            }
            Self::Parts(_) => "a baseline promises nothing, so there is nothing to audit",
            Self::CoordinateSteps | Self::AutoSteps => {
                "the audit can compute duals from decisions only with decaying steps; steps depend on released values only, so \
                 the claim is the same with decaying steps"
            }
        }
    }
}

fn rounds(late: u64) -> String {
    format!("up to {late} rounds")
}
