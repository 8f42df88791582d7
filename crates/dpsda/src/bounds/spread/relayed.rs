//! Lags of DPSDA-R as the graphs of the run really have them: how old every copy is.

use super::{Lag, Spread};
use crate::bounds::Missing;
use crate::network::Topology;

/// Comparisons of versions that are spent.
const WORK: u64 = 4_000_000_000;

/// A copy that is `tau` rounds old lacks `tau` gradients and their noise, and nothing else.
pub struct Relayed<'a> {
    topology: &'a dyn Topology,
    sizes: Vec<f64>,
    /// `versions[i][k]`: how many rounds of block `k` node `i` has.
    versions: Vec<Vec<u64>>,
    work: u64,
}

impl<'a> Relayed<'a> {
    /// Over these graphs, with blocks of these sizes.
    pub fn new(topology: &'a dyn Topology, sizes: &[usize]) -> Self {
        let n = topology.nodes();
        let sizes = sizes.iter().map(|size| *size as f64).collect();
        Self { topology, sizes, versions: vec![vec![0; n]; n], work: 0 }
    }

    /// Round `s`: everybody learns, then speaks and listens at once.
    fn exchange(&mut self, s: u64) {
        self.versions.iter_mut().enumerate().for_each(|(i, known)| known[i] = s + 1);
        let said = self.versions.clone();
        for (from, to) in self.topology.graph(s).links() {
            self.versions[to]
                .iter_mut()
                .zip(&said[from])
                .for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
            self.work += said.len() as u64;
        }
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
