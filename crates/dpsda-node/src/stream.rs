//! The source of the rounds' costs. Costs never leave the host.

use std::ops::Range;
use std::sync::Arc;

use dpsda::features::Samples;
use dpsda::loss::Loss;
use dpsda::objective::{Batch, Objective};
use tokio::sync::{mpsc, oneshot};

/// The cost of a round: the mean loss over these rows.
pub struct SampleCost {
    /// The data.
    pub samples: Arc<Samples>,
    /// The rows. Without rows the cost is zero: a round without data still releases noise.
    pub rows: Vec<usize>,
}

/// A cost from outside.
pub struct Arrival {
    /// The round that it names.
    pub round: Option<u64>,
    /// The cost.
    pub cost: SampleCost,
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
    /// The budget is spent: its round is over, and the node did not learn from it.
    Spent,
    /// The node is halted and did not learn from it.
    Halted,
    /// All rounds of the run are done.
    Over,
}

/// Where costs come from.
pub enum CostSource {
    /// A data set: gives the cost of any round, as often as needed.
    Known(Box<dyn FnMut(u64) -> Option<SampleCost> + Send>),
    /// Costs arrive from outside, each once. Their sender waits until there is room.
    Arriving(mpsc::Receiver<Arrival>),
}

impl SampleCost {
    /// Shows the cost as a function.
    pub(crate) fn reveal<T>(&self, loss: &dyn Loss, see: impl FnOnce(&dyn Objective) -> T) -> T {
        if self.rows.is_empty() {
            return see(&Zero(self.samples.features.dim()));
        }
        see(&Batch { samples: &self.samples, rows: &self.rows, loss })
    }
}

/// The cost of a round without data.
pub(crate) struct Zero(pub(crate) usize);

impl Objective for Zero {
    fn dim(&self) -> usize {
        self.0
    }

    fn value(&self, _x: &[f64]) -> f64 {
        0.0
    }

    fn partial(&self, _x: &[f64], _block: Range<usize>, g: &mut [f64]) {
        g.fill(0.0);
    }

    fn examples(&self) -> usize {
        0
    }
}
