//! Claims about specifications: what they derive, what they refuse, and that a user's own parts work like those of the
//! tables.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod costs;
mod hand;
mod own;
mod wrong;

use dpsda::features::{Dense, Samples};
use dpsda::objective::Batch;
use dpsda::rng::{Purpose, Seed};
use rand::RngExt;

/// Coordinates of a decision, two for each node of the paper's Fig. 2.
const DIM: usize = 14;
/// Samples per round; some nodes have one more than others.
const BATCH: usize = 9;
const ROUNDS: u64 = 25;

/// Rounds of logistic regression.
struct Data(Samples);

impl Data {
    fn new() -> Self {
        let mut rng = Seed::new(9).stream(Purpose::Data, 0, 0);
        let rows = BATCH * ROUNDS as usize;
        let values = (0..rows * DIM).map(|_| rng.random_range(-1.0..1.0)).collect();
        let labels = (0..rows).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect();
        Self(Samples::new(Dense::new(values, DIM).unwrap(), labels).unwrap())
    }

    fn rows(t: u64) -> Vec<usize> {
        let first = t as usize * BATCH;
        (first..first + BATCH).collect()
    }

    fn cost<'a>(&'a self, rows: &'a [usize]) -> Batch<'a> {
        Batch { samples: &self.0, rows, loss: &dpsda::loss::Logistic }
    }
}
