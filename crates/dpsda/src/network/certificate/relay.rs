//! The age of the blocks that relay (DPSDA-R) decides with. This follows its version vectors, without its numbers.

use std::collections::VecDeque;

use crate::network::Graph;
use crate::network::transit::Transit;

/// `version[i n + k]`: how many releases of block `k` node `i` knows.
pub(super) struct Versions {
    nodes: usize,
    version: Vec<u64>,
    /// The versions that were sent in this round.
    sent: Vec<u64>,
    staleness: u64,
    /// Messages that arrive in this round and in the next ones: the receiver and the versions inside.
    flying: VecDeque<Vec<(usize, Vec<u64>)>>,
}

impl Versions {
    pub(super) fn new(nodes: usize) -> Self {
        let version = vec![0; nodes * nodes];
        Self { nodes, sent: version.clone(), version, staleness: 0, flying: VecDeque::new() }
    }

    /// One round: decide, learn, exchange.
    pub(super) fn round(&mut self, t: u64, arriving: &Graph, transit: &Transit) {
        let n = self.nodes;
        // Eight at a time: the least of them all does not depend on the order.
        let (eights, rest) = self.version.as_chunks::<8>();
        let least = eights.iter().fold([t; 8], |least, eight| std::array::from_fn(|k| least[k].min(eight[k])));
        let oldest = least.into_iter().chain(rest.iter().copied()).min().unwrap_or(t);
        self.staleness = self.staleness.max(t - oldest); // decide
        for i in 0..n {
            self.version[i * n + i] = t + 1; // learn
        }
        self.sent.copy_from_slice(&self.version); // a node does not pass on in this round what arrives in it
        for (from, to) in arriving.links() {
            let theirs = &self.sent[from * n..(from + 1) * n];
            match transit.arrival(t, from, to).map_or(0, |arrival| arrival - t) as usize {
                0 => merge(&mut self.version[to * n..(to + 1) * n], theirs),
                late => {
                    while self.flying.len() <= late {
                        self.flying.push_back(Vec::new());
                    }
                    self.flying[late].push((to, theirs.to_vec()));
                }
            }
        }
        for (to, theirs) in self.flying.pop_front().unwrap_or_default() {
            merge(&mut self.version[to * n..(to + 1) * n], &theirs);
        }
    }

    pub(super) fn staleness(&self) -> u64 {
        self.staleness
    }
}

fn merge(mine: &mut [u64], theirs: &[u64]) {
    mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}
