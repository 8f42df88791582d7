//! How old the blocks are with which relay (DPSDA-R) decides: its version vectors, without its numbers.

use crate::network::Graph;

/// `version[i n + k]`: how many releases of block `k` node `i` knows.
pub(super) struct Versions {
    nodes: usize,
    version: Vec<u64>,
    staleness: u64,
}

impl Versions {
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes, version: vec![0; nodes * nodes], staleness: 0 }
    }

    /// One round: decide, learn, exchange.
    pub(super) fn round(&mut self, t: u64, graph: &Graph) {
        let n = self.nodes;
        let oldest = self.version.iter().min().copied().unwrap_or(t);
        self.staleness = self.staleness.max(t - oldest); // decide
        for i in 0..n {
            self.version[i * n + i] = t + 1; // learn
        }
        let sent = self.version.clone(); // what arrives in this round is not passed on in this round
        for (from, to) in graph.links() {
            let mine = self.version[to * n..(to + 1) * n].iter_mut();
            for (mine, theirs) in mine.zip(&sent[from * n..(from + 1) * n]) {
                *mine = (*mine).max(*theirs);
            }
        }
    }

    pub(super) fn staleness(&self) -> u64 {
        self.staleness
    }
}
