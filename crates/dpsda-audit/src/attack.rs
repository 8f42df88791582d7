//! The two attacks that the paper names, on real data: membership inference and model inversion.

use dpsda::features::Samples;
use dpsda::loss::Loss;
use dpsda::objective::{Batch, Objective};

use crate::canary::Costs;

mod inversion;
mod membership;

pub use inversion::{Inversion, inversion};
pub use membership::{Membership, membership};

/// The costs of a run over data: so many rows a round, in order.
#[derive(Clone)]
pub struct Stream<'a> {
    /// The data.
    pub samples: &'a Samples,
    /// The loss.
    pub loss: &'a dyn Loss,
    /// The rows to learn from.
    pub rows: Vec<usize>,
    /// How many a round.
    pub batch: usize,
}

impl Stream<'_> {
    /// The rows of round `t`.
    fn rows_of(&self, t: u64) -> &[usize] {
        let first = (t as usize).saturating_mul(self.batch);
        self.rows.get(first..first.saturating_add(self.batch)).unwrap_or(&[])
    }
}

impl Costs for Stream<'_> {
    fn reveal(&self, t: u64, see: &mut dyn FnMut(&dyn Objective)) {
        let rows = self.rows_of(t);
        if !rows.is_empty() {
            see(&Batch { samples: self.samples, rows, loss: self.loss });
        }
    }
}
