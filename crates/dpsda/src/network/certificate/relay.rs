//! The age of the blocks that relay (DPSDA-R) decides with. This follows its version vectors, without its numbers.

use std::collections::VecDeque;

use crate::network::Graph;
use crate::network::transit::Transit;

/// `version[i n + k]`: how many releases of block `k` node `i` knows. Nobody looks at so many rounds that 32 bits do not count them.
pub(super) struct Versions {
    nodes: usize,
    version: Vec<u32>,
    /// The same after the round. A node does not pass on in a round what arrives in it.
    next: Vec<u32>,
    /// The oldest of all versions.
    oldest: u32,
    staleness: u64,
    /// Messages that arrive in this round and in the next ones: the receiver and the versions inside.
    flying: VecDeque<Vec<(usize, Vec<u32>)>>,
}

impl Versions {
    pub(super) fn new(nodes: usize) -> Self {
        let version = vec![0; nodes * nodes];
        let oldest = if nodes == 0 { u32::MAX } else { 0 };
        Self { nodes, next: version.clone(), version, oldest, staleness: 0, flying: VecDeque::new() }
    }

    /// One round: decide, learn, exchange.
    pub(super) fn round(&mut self, t: u64, arriving: &Graph, transit: &Transit) {
        let n = self.nodes;
        self.staleness = self.staleness.max(t.saturating_sub(u64::from(self.oldest))); // decide
        for i in 0..n {
            self.version[i * n + i] = u32::try_from(t + 1).unwrap_or(u32::MAX); // learn
        }
        let mut late = self.flying.pop_front().unwrap_or_default();
        late.sort_by_key(|(to, _)| *to);
        let (version, mut late) = (&self.version, late.iter().peekable());
        self.oldest = u32::MAX;
        let heard = arriving.heard();
        for (to, (mine, heard)) in self.next.chunks_exact_mut(n.max(1)).zip(heard).enumerate() {
            mine.copy_from_slice(&version[to * n..(to + 1) * n]);
            for from in heard.into_iter().filter(|from| *from != to) {
                let theirs = &version[from * n..(from + 1) * n];
                match transit.arrival(t, from, to).map_or(0, |arrival| arrival - t) as usize {
                    0 => merge(mine, theirs),
                    rounds => {
                        self.flying.resize_with(self.flying.len().max(rounds), Vec::new);
                        self.flying[rounds - 1].push((to, theirs.to_vec()));
                    }
                }
            }
            while let Some((_, theirs)) = late.next_if(|(receiver, _)| *receiver == to) {
                merge(mine, theirs);
            }
            self.oldest = self.oldest.min(mine.iter().copied().fold(u32::MAX, u32::min));
        }
        std::mem::swap(&mut self.version, &mut self.next);
    }

    pub(super) fn staleness(&self) -> u64 {
        self.staleness
    }
}

fn merge(mine: &mut [u32], theirs: &[u32]) {
    mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}
