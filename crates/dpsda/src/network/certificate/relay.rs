//! The age of the blocks that relay (DPSDA-R) decides with. This follows its version vectors, without its numbers.

use std::collections::VecDeque;

use crate::network::Graph;
use crate::network::transit::Transit;

/// `version[i n + k]`: how many releases of block `k` node `i` knows.
pub(super) struct Versions {
    nodes: usize,
    version: Vec<u64>,
    staleness: u64,
    /// Messages that arrive in this round and in the next ones: the receiver and the versions inside.
    flying: VecDeque<Vec<(usize, Vec<u64>)>>,
}

impl Versions {
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes, version: vec![0; nodes * nodes], staleness: 0, flying: VecDeque::new() }
    }

    /// One round: decide, learn, exchange.
    pub(super) fn round(&mut self, t: u64, arriving: &Graph, transit: &Transit) {
        let n = self.nodes;
        let oldest = self.version.iter().min().copied().unwrap_or(t);
        self.staleness = self.staleness.max(t - oldest); // decide
        for i in 0..n {
            self.version[i * n + i] = t + 1; // learn
        }
        let sent = self.version.clone(); // a node does not pass on in this round what arrives in it
        for (from, to) in arriving.links() {
            let theirs = &sent[from * n..(from + 1) * n];
            match transit.arrival(t, from, to).map_or(0, |arrival| arrival - t) as usize {
                0 => self.merge(to, theirs),
                late => {
                    while self.flying.len() <= late {
                        self.flying.push_back(Vec::new());
                    }
                    self.flying[late].push((to, theirs.to_vec()));
                }
            }
        }
        for (to, theirs) in self.flying.pop_front().unwrap_or_default() {
            self.merge(to, &theirs);
        }
    }

    fn merge(&mut self, to: usize, theirs: &[u64]) {
        let mine = self.version[to * self.nodes..(to + 1) * self.nodes].iter_mut();
        mine.zip(theirs).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
    }

    pub(super) fn staleness(&self) -> u64 {
        self.staleness
    }
}
