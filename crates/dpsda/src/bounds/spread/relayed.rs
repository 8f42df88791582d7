//! The lags of DPSDA-R that the graphs of the run really cause: the age of every copy.

use super::{Lag, Spread};
use crate::bounds::Missing;
use crate::network::Topology;
use crate::network::transit::Transit;

/// The most comparisons of versions that we spend.
const WORK: u64 = 4_000_000_000;

/// A copy that is `tau` rounds old lacks `tau` gradients and their noise, and nothing else.
///
/// ```
/// use dpsda::bounds::spread::{Relayed, Spread};
/// use dpsda::network::{Complete, Transit};
/// let (graph, prompt) = (Complete::new(2)?, Transit::prompt());
/// let mut spread = Relayed::new(&graph, &prompt, &[1, 1]);
/// spread.round(0, &[]).unwrap();
/// let lags = spread.round(1, &[3.0]).unwrap(); // every node has heard everything
/// assert_eq!((lags[0].past, lags[1].noise), (0.0, 0.0));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Relayed<'a> {
    topology: &'a dyn Topology,
    transit: &'a Transit,
    sizes: Vec<f64>,
    /// `versions[i][k]`: how many rounds of block `k` node `i` has.
    versions: Vec<Vec<u64>>,
    /// Messages in transit: round of arrival, receiver, and the versions inside.
    coming: Vec<(u64, usize, Vec<u64>)>,
    work: u64,
}

impl<'a> Relayed<'a> {
    /// The lags over these graphs, with blocks of these sizes. `transit` may delay or lose messages.
    pub fn new(topology: &'a dyn Topology, transit: &'a Transit, sizes: &[usize]) -> Self {
        let n = topology.nodes();
        let sizes = sizes.iter().map(|size| *size as f64).collect();
        Self { topology, transit, sizes, versions: vec![vec![0; n]; n], coming: Vec::new(), work: 0 }
    }

    /// Round `s`: every node learns, then all send and receive at once.
    fn exchange(&mut self, s: u64) {
        self.versions.iter_mut().enumerate().for_each(|(i, known)| known[i] = s + 1);
        for (from, to) in self.topology.graph(s).links() {
            if let Some(arrival) = self.transit.arrival(s, from, to) {
                self.coming.push((arrival, to, self.versions[from].clone()));
            }
        }
        self.coming.retain(|(arrival, to, theirs)| {
            let mine = &mut self.versions[*to];
            if *arrival <= s {
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
            }
            *arrival > s
        });
        self.work += (self.coming.len() as u64 + self.versions.len() as u64) * self.versions.len() as u64;
    }
}

impl Spread for Relayed<'_> {
    fn round(&mut self, t: u64, lengths: &[f64]) -> Result<Vec<Lag>, Missing> {
        if t > 0 {
            self.exchange(t - 1);
        }
        if self.work > WORK {
            return Err(Missing::Work);
        }
        let lag = |known: &Vec<u64>| {
            let oldest = known.iter().copied().min().unwrap_or(t);
            let noise =
                known.iter().zip(&self.sizes).map(|(version, size)| t.saturating_sub(*version) as f64 * size);
            Lag { past: lengths.iter().skip(oldest as usize).sum(), noise: noise.sum() }
        };
        Ok(self.versions.iter().map(lag).collect())
    }

    fn own_is_exact(&self) -> bool {
        true
    }
}
