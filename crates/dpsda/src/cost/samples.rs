//! Mean losses of linear predictions over batches of samples.

use std::ops::Range;
use std::sync::Arc;

use super::{Build, CostSequence};
use crate::Error;
use crate::catalog::Listing;
use crate::features::Samples;
use crate::loss::Loss;
use crate::metric::TrialData;
use crate::objective::{Batch, Objective};

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "samples",
    about: "the mean loss of a batch of samples (default); `dpsda list losses` and `dpsda list data` show their own keys",
    keys: &[],
    build: Build::Samples,
};

/// Samples in the order in which they are learned from, `batch` per round.
///
/// ```
/// use std::sync::Arc;
/// use dpsda::cost::{CostSequence, samples::SampleCosts};
/// use dpsda::features::{Dense, Samples};
/// use dpsda::loss::Squared;
/// let samples = Samples::new(Dense::new(vec![1.0, 2.0, 3.0, 4.0], 1)?, vec![0.0; 4])?;
/// let costs = SampleCosts::new(Arc::new(samples), vec![3, 2, 1], vec![0], Arc::new(Squared), 1)?;
/// assert_eq!(costs.rounds(), 3);
/// assert_eq!(costs.cost(0).unwrap().value(&[1.0]), 16.0);
/// assert_eq!(costs.mean(1..3).value(&[1.0]), 6.5); // the mean of 9 and 4
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone)]
pub struct SampleCosts {
    samples: Arc<Samples>,
    train: Vec<usize>,
    test: Vec<usize>,
    loss: Arc<dyn Loss>,
    batch: usize,
}

impl SampleCosts {
    /// Learns from the rows `train`, `batch` per round, and holds out the rows `test`.
    pub fn new(
        samples: Arc<Samples>,
        train: Vec<usize>,
        test: Vec<usize>,
        loss: Arc<dyn Loss>,
        batch: usize,
    ) -> Result<Self, Error> {
        if batch == 0 {
            return Err(Error::value("batch", 0, "expected at least 1 (a mean needs one sample)"));
        }
        for (name, rows) in [("train", &train), ("test", &test)] {
            let checked = Batch { samples: &samples, rows, loss: &*loss }.check_rows();
            checked.map_err(|error| error.at("rows", name))?;
        }
        Ok(Self { samples, train, test, loss, batch })
    }

    /// As [`SampleCosts::new`], but never an error: rows that do not exist are left out, and a `batch` of 0 counts as 1.
    #[must_use]
    pub fn of_rows(
        samples: Arc<Samples>,
        mut train: Vec<usize>,
        mut test: Vec<usize>,
        loss: Arc<dyn Loss>,
        batch: usize,
    ) -> Self {
        let known = samples.features.len().min(samples.labels.len());
        for rows in [&mut train, &mut test] {
            rows.retain(|row| *row < known);
        }
        Self { samples, train, test, loss, batch: batch.max(1) }
    }

    fn on<'a>(&'a self, rows: &'a [usize]) -> Batch<'a> {
        Batch { samples: &self.samples, rows, loss: &*self.loss }
    }

    /// The mean loss over all samples of these rounds. The batch is empty if there are none.
    pub fn batch(&self, rounds: Range<u64>) -> Batch<'_> {
        let place = |t: u64| {
            let rounds = usize::try_from(t).unwrap_or(usize::MAX);
            rounds.saturating_mul(self.batch).min(self.train.len())
        };
        self.on(self.train.get(place(rounds.start)..place(rounds.end)).unwrap_or(&[]))
    }
}

impl CostSequence for SampleCosts {
    fn dim(&self) -> usize {
        self.samples.features.dim()
    }

    fn rounds(&self) -> u64 {
        (self.train.len() / self.batch) as u64
    }

    fn cost(&self, t: u64) -> Option<Box<dyn Objective + '_>> {
        (t < self.rounds()).then(|| Box::new(self.batch(t..t + 1)) as Box<dyn Objective>)
    }

    fn mean(&self, rounds: Range<u64>) -> Box<dyn Objective + '_> {
        Box::new(self.batch(rounds))
    }

    fn samples(&self) -> Option<TrialData<'_>> {
        Some(TrialData { train: self.on(&self.train), test: self.on(&self.test) })
    }
}
