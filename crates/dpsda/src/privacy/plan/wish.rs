//! What a user asks for.

use super::Budget;
use crate::Error;
use crate::catalog::Listing;
use crate::privacy::mechanism::{Build, Kind};

/// Which coordinates of a dual a node noises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// Its own block; the others are functions of messages already sent.
    Own,
    /// All of them, as in the paper.
    All,
    /// All coordinates of whatever a baseline sends, at scale `1/level`: as its authors print it, and no promise is derived.
    Sent,
}

/// What decisions are computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decide {
    /// Released values only.
    Published,
    /// The un-noised dual, as in the paper. Decisions are not protected.
    Private,
}

/// What an event is: what may be replaced without anybody being able to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adjacency {
    /// The whole cost of one round, as in the paper.
    Round,
    /// One example of one round. How many examples a round has is public.
    Example,
}

/// How C and PS mix duals. Mixing comes after release, so both are equally private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// In f64, as in the paper.
    Real,
    /// In integers on the grid: nothing is lost, and sums can be compared with `==`.
    Grid,
}

/// How much noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// The paper's label; not an epsilon.
    Level(f64),
    /// For one event, all nodes, the whole run.
    Epsilon(f64),
}

/// What a user asks for.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    /// The mechanism.
    pub mechanism: &'static Listing<Kind>,
    /// How much noise.
    pub target: Target,
    /// The delta that epsilons are given at.
    pub delta: Option<f64>,
    /// What an event is.
    pub adjacency: Adjacency,
    /// A bound on the norm of the whole gradient of one event.
    pub clip: Option<f64>,
    /// The grid `2^-q`; chosen by the plan unless set.
    pub grid: Option<u32>,
    /// What must not be exceeded.
    pub budget: Budget,
    /// Where noise goes.
    pub noise: Noise,
    /// What decisions are computed from.
    pub decide: Decide,
    /// How duals are mixed.
    pub arithmetic: Arithmetic,
}

impl Wish {
    /// This mechanism at a level, and everything else as it is unless set.
    pub fn level(mechanism: &'static Listing<Kind>, level: f64) -> Self {
        Self {
            mechanism,
            target: Target::Level(level),
            delta: None,
            adjacency: Adjacency::Round,
            clip: None,
            grid: None,
            budget: Budget::default(),
            noise: Noise::Own,
            decide: Decide::Published,
            arithmetic: Arithmetic::Real,
        }
    }

    /// This mechanism for a target over the whole run, with this clip, and everything else as it is unless set.
    pub fn epsilon(mechanism: &'static Listing<Kind>, epsilon: f64, delta: Option<f64>, clip: f64) -> Self {
        let target = Target::Epsilon(epsilon);
        Self { target, delta, clip: Some(clip), ..Self::level(mechanism, 1.0) }
    }

    /// Whether it adds no noise at all.
    pub fn is_silent(&self) -> bool {
        matches!(self.mechanism.build.build, Build::Nothing)
    }

    /// Refuses what no plan can be made of.
    pub(super) fn check(&self, averages: bool) -> Result<(), Error> {
        if self.noise == Noise::Sent {
            return self.check_sent();
        }
        let Kind { correlated, build, .. } = self.mechanism.build;
        let name = self.mechanism.name;
        if let Target::Epsilon(epsilon) = self.target
            && self.decide == Decide::Private
        {
            let remedy = "with decide = \"private\" decisions come from un-noised values, and no epsilon bounds what they \
                          tell (use decide = \"published\", or `level` for the paper's order)";
            return Err(Error::value("privacy.epsilon", epsilon, remedy));
        }
        if self.decide == Decide::Private && self.adjacency == Adjacency::Example {
            let remedy = "with decide = \"private\" one example disturbs the gradients of all later examples, not one of them \
                          (use adjacency = \"round\", or decide = \"published\")";
            return Err(Error::value("privacy.adjacency", "\"example\"", remedy));
        }
        let needs = match (build, self.target) {
            (Build::Exact(_), _) => Some("exact noise needs a bound on what it hides"),
            (_, Target::Epsilon(_)) => Some("no epsilon exists without a bound on a gradient"),
            _ if self.adjacency == Adjacency::Example => {
                Some("examples are protected one by one, each with a bound")
            }
            _ if self.arithmetic == Arithmetic::Grid => {
                Some("grid arithmetic needs a grid, and a clip sets it")
            }
            _ => None,
        };
        if let (Some(why), None) = (needs, self.clip) {
            let norm = match self.mechanism.build.norm {
                super::super::clip::Norm::L1 => "L1",
                super::super::clip::Norm::L2 => "L2",
            };
            return Err(Error::missing(
                "privacy.clip",
                format!(
                    "{why} (say how large the {norm} norm of an event's gradient may be, e.g. clip = 1.0)"
                ),
            ));
        }
        if correlated && averages {
            let remedy = "noise that cancels over time serves learners that keep the exact sum of their own releases \
                          (use it with dpsda-r or dpcda; with dpsda-c and dpsda-ps use \"discrete-gaussian\")";
            return Err(Error::value("privacy.mechanism", format!("{name:?}"), remedy));
        }
        if self.arithmetic == Arithmetic::Grid && !matches!(build, Build::Exact(_)) {
            let remedy = format!(
                "\"{name}\" noise is not on a grid (use \"discrete-laplace\" or \"discrete-gaussian\")"
            );
            return Err(Error::value("privacy.arithmetic", "\"grid\"", remedy));
        }
        Ok(())
    }
}
