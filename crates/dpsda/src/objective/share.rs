//! Decomposable problems: every node has its own samples, and the costs of all nodes sum to the cost of the round.

use std::ops::Range;

use super::{Batch, Objective};
use crate::features::Samples;

/// The cost of node `i`: `f_{i,t} = (1/|D_t|) sum` of the losses of its samples; zero if it has none.
///
/// ```
/// use dpsda::features::{Dense, Samples};
/// use dpsda::loss::Squared;
/// use dpsda::objective::{Batch, Objective, deal};
/// let samples = Samples::new(Dense::new(vec![1.0, 1.0, 1.0], 1)?, vec![0.0, 3.0, 6.0])?;
/// let f = Batch::new(&samples, &[0, 1, 2], &Squared)?;
/// let shares = deal(f, 2); // rows 0 and 1, row 2
/// let slope = |f: &dyn Objective| {
///     let mut g = [0.0];
///     f.partial(&[0.0], 0..1, &mut g);
///     g[0]
/// };
/// assert_eq!((slope(&shares[0]), slope(&shares[1]), slope(&f)), (-2.0, -4.0, -6.0)); // they sum to that of the round
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Share<'a> {
    /// The samples of the node.
    batch: Batch<'a>,
    /// `|D_t|`
    of: usize,
}

/// Divides a batch among `nodes` nodes: consecutive rows, in shares whose sizes differ by at most one, larger ones first.
///
/// ```
/// # use dpsda::features::{Samples, dense::Dense};
/// # use dpsda::objective::{Batch, Objective, deal};
/// # let features = Box::new(Dense::new(vec![1.0; 5], 1)?);
/// # let samples = Samples { features, labels: vec![0.0, 1.0, 2.0, 3.0, 4.0] };
/// # let loss = dpsda::loss::squared::Squared;
/// let f = Batch { samples: &samples, rows: &[0, 1, 2, 3, 4], loss: &loss };
/// let shares = deal(f, 3);
/// assert_eq!(shares.iter().map(|share| share.examples()).collect::<Vec<_>>(), [2, 2, 1]);
/// assert_eq!(shares.iter().map(|share| share.value(&[0.0])).sum::<f64>(), f.value(&[0.0]));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn deal(f: Batch<'_>, nodes: usize) -> Vec<Share<'_>> {
    (0..nodes).map(|i| Share::of(f, i, nodes)).collect()
}

impl<'a> Share<'a> {
    /// The share of node `i` of `nodes`.
    pub(super) fn of(f: Batch<'a>, i: usize, nodes: usize) -> Self {
        let of = f.rows.len();
        let start = |i: usize| i * (of / nodes) + i.min(of % nodes);
        Self { batch: Batch { rows: &f.rows[start(i)..start(i + 1)], ..f }, of }
    }
}

impl Objective for Share<'_> {
    fn dim(&self) -> usize {
        self.batch.dim()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let Batch { samples: Samples { features, labels }, rows, loss } = self.batch;
        let total: f64 = rows.iter().map(|&r| loss.value(features.dot(r, x), labels[r])).sum();
        total / self.of as f64
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let Batch { samples: Samples { features, labels }, rows, loss } = self.batch;
        g.fill(0.0);
        for &r in rows {
            let slope = loss.slope(features.dot(r, x), labels[r]);
            features.add_to(r, block.clone(), slope / self.of as f64, g);
        }
    }

    fn examples(&self) -> usize {
        self.batch.examples()
    }

    fn example(&self, k: usize, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        self.batch.example(k, x, block, g);
    }
}
