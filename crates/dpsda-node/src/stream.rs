//! The source of the rounds' costs. Costs never leave the host.

mod digest;
mod given;
mod terms;

use std::sync::Arc;

use dpsda::cost::CostSequence;
use dpsda::features::Samples;
use tokio::sync::{mpsc, oneshot};

pub use digest::EstimateDigest;
pub(crate) use given::Zero;
pub use terms::{CostTerms, Estimate};

/// A cost of samples: the mean loss over these rows.
pub struct SampleCost {
    /// The data.
    pub samples: Arc<Samples>,
    /// The rows. Without rows the cost is zero: a round without data still releases noise.
    pub rows: Vec<usize>,
}

/// What a line says about the cost of a round.
pub enum GivenCost {
    /// Its samples.
    Samples(SampleCost),
    /// The node's own partial gradient at the node's estimate of that round. With a promise about agents, `own` is what depends on
    /// the agent's own data. Otherwise the sum of both counts.
    Gradient {
        /// One number per coordinate of the node's block.
        own: Vec<f64>,
        /// What depends on public data alone: none, or one number per coordinate.
        public: Vec<f64>,
        /// The estimate that it was taken at, if the sender names it.
        at: Option<EstimateDigest>,
    },
    /// Its values at the two points to either side of the estimate.
    Values {
        /// In the order of the points.
        values: [f64; 2],
        /// The estimate that they were taken at, if the sender names it.
        at: Option<EstimateDigest>,
    },
}

impl GivenCost {
    /// Whether it was taken at an estimate of the node, so that it serves for one round only.
    pub(crate) fn is_at_an_estimate(&self) -> bool {
        !matches!(self, Self::Samples(_))
    }

    /// Whether it says that it was taken at another estimate than `y` of round `t`.
    pub(crate) fn is_stale(&self, t: u64, y: &[f64]) -> bool {
        match self {
            Self::Samples(_) => false,
            Self::Gradient { at, .. } | Self::Values { at, .. } => {
                at.is_some_and(|at| at != EstimateDigest::of(t, y))
            }
        }
    }
}

/// A cost from outside.
pub struct Arrival {
    /// The round that it names.
    pub round: Option<u64>,
    /// The cost.
    pub cost: GivenCost,
    /// The channel for the answer to its sender.
    pub answer: Option<oneshot::Sender<CostReply>>,
}

/// The answer to the sender of a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostReply {
    /// The node learned from it, and the release is durable.
    Taken {
        /// The round in which it was used.
        round: u64,
        /// Rounds skipped before it: their costs never arrived.
        skipped: u64,
    },
    /// Its round was already over. The number is the next round.
    Duplicate(u64),
    /// It is a gradient for a round that has not begun, so it was taken at no estimate of the node. The number is the next round.
    Early(u64),
    /// It was taken at another estimate of its round than the node's. The round stays open.
    Stale,
    /// The budget is spent: its round is over, and the node did not learn from it.
    Spent,
    /// The node is halted and did not learn from it.
    Halted,
    /// All rounds of the run are done.
    Over,
}

/// Where costs come from.
pub enum CostSource {
    /// The costs of the experiment: the cost of any round, as often as needed.
    Known(Arc<dyn CostSequence>),
    /// Costs arrive from outside, each once. Their sender waits until there is room.
    Arriving(mpsc::Receiver<Arrival>),
}
