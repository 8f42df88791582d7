//! The two attacks that the paper names, on real data: membership inference and model inversion.

use dpsda::Error;
use dpsda::features::Samples;
use dpsda::loss::Loss;
use dpsda::objective::{Batch, Objective};

use crate::Arena;
use crate::canary::CostStream;

mod inversion;
mod membership;

pub use inversion::{Inversion, inversion};
pub use membership::{Membership, membership};

/// The costs of a run over data: a batch of rows per round, in order.
#[derive(Clone)]
pub struct DataStream<'a> {
    /// The data.
    pub samples: &'a Samples,
    /// The loss.
    pub loss: &'a dyn Loss,
    /// The rows to learn from.
    pub rows: Vec<usize>,
    /// How many rows a round has.
    pub batch: usize,
}

impl DataStream<'_> {
    /// The rows of round `t`.
    fn rows_of(&self, t: u64) -> &[usize] {
        let first = (t as usize).saturating_mul(self.batch);
        self.rows.get(first..first.saturating_add(self.batch)).unwrap_or(&[])
    }

    /// Refuses data that do not fit the arena, and rows that do not exist.
    fn fits(&self, arena: &Arena) -> Result<(), Error> {
        let (found, due) = (self.samples.features.dim(), arena.spec.blocks().dim());
        if found != due {
            let remedy = format!("the nodes decide {due} coordinates together");
            return Err(Error::value("samples", format!("of {found} features"), remedy));
        }
        self.rows.iter().try_for_each(|row| self.has(*row))
    }

    fn has(&self, row: usize) -> Result<(), Error> {
        let samples = self.samples.labels.len();
        if row < samples {
            return Ok(());
        }
        Err(Error::value("rows", row, format!("there are {samples} samples, counted from 0")))
    }
}

impl CostStream for DataStream<'_> {
    fn reveal(&self, t: u64, see: &mut dyn FnMut(&dyn Objective)) {
        let rows = self.rows_of(t);
        if !rows.is_empty() {
            see(&Batch { samples: self.samples, rows, loss: self.loss });
        }
    }
}
