//! Where the costs of rounds come from. They never leave the host.

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
    /// The rows. Without any, the cost is zero: a round without data still releases noise.
    pub rows: Vec<usize>,
}

/// A cost that came from outside.
pub struct Arrival {
    /// The round it says it is of.
    pub round: Option<u64>,
    /// What it is.
    pub cost: SampleCost,
    /// Where its sender waits to hear what became of it.
    pub answer: Option<oneshot::Sender<CostReply>>,
}

/// What became of a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostReply {
    /// It was learned from, and what was released is durable.
    Taken {
        /// In this round.
        round: u64,
        /// Rounds before it that were skipped: their costs never came.
        skipped: u64,
    },
    /// Its round is over. This round comes next.
    Duplicate(u64),
    /// The budget is spent: its round is over, and nothing was learned from it.
    Spent,
    /// The node releases nothing more, and nothing was learned from it.
    Halted,
    /// All rounds of the run are done.
    Over,
}

/// Where they come from.
pub enum CostSource {
    /// A data set: gives the cost of any round, as often as asked for.
    Known(Box<dyn FnMut(u64) -> Option<SampleCost> + Send>),
    /// Costs come when they come, each once. Their sender waits until there is room.
    Arriving(mpsc::Receiver<Arrival>),
}

impl SampleCost {
    /// Shows it as the function that it is.
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
