//! The versions that very many nodes have, where most nodes know nothing of most blocks.

use std::ops::Range;
use std::sync::Arc;

use fearless_simd::dispatch;

use super::versions::{VersionRows, keep};
use crate::network::Topology;
use crate::wide;

/// How many blocks stand together. If a node knows none of them, nothing is stored.
const CHUNK: usize = 128;

type Chunk = Arc<[u32; CHUNK]>;

/// How many nodes hear of a block within so many rounds, at most: that of the first, of a middle and of the last node.
pub(super) fn reach(topology: &dyn Topology, rounds: u64) -> usize {
    let nodes = topology.nodes();
    let mut told: Vec<(Vec<bool>, Vec<usize>)> = [0, nodes / 2, nodes.saturating_sub(1)]
        .into_iter()
        .map(|i| ((0..nodes).map(|k| k == i).collect(), vec![i]))
        .collect();
    for t in 0..rounds {
        let graph = topology.graph(t);
        for (knows, all) in &mut told {
            for k in 0..all.len() {
                for &to in graph.out(all[k]) {
                    if knows.get_mut(to).is_some_and(|known| !std::mem::replace(known, true)) {
                        all.push(to); // it speaks from the next round on: `k` ends before
                    }
                }
            }
        }
        if told.iter().any(|(_, all)| all.len() == nodes) {
            return nodes;
        }
    }
    told.iter().map(|(_, all)| all.len()).max().unwrap_or(0)
}

/// One row per node, in chunks. A chunk that nobody changed is shared with the nodes that it came from.
pub(super) struct SparseVersions {
    nodes: usize,
    rows: Vec<Vec<Option<Chunk>>>,
}

impl SparseVersions {
    /// All have version 0 of every block.
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes, rows: vec![vec![None; nodes.div_ceil(CHUNK)]; nodes] }
    }

    /// About how many bytes they take if every node knows this many blocks, a few of each chunk.
    pub(super) fn bytes(nodes: u128, known: u128) -> u128 {
        let (chunk, all) = (CHUNK as u128, nodes.div_ceil(CHUNK as u128));
        nodes * (16 * all + 4 * chunk * all.min(known.div_ceil(8)))
    }

    /// A larger version counts as the largest number: this many nodes never play that many rounds.
    pub(super) fn set(&mut self, i: usize, k: usize, version: u64) {
        let chunk = self.rows[i][k / CHUNK].get_or_insert_with(|| Arc::new([0; CHUNK]));
        Arc::make_mut(chunk)[k % CHUNK] = u32::try_from(version).unwrap_or(u32::MAX);
    }

    pub(super) fn of(&self, i: usize, k: usize) -> u64 {
        self.rows[i][k / CHUNK].as_ref().map_or(0, |chunk| chunk[k % CHUNK].into())
    }

    /// The oldest version that node `i` has of any block.
    pub(super) fn oldest(&self, i: usize) -> u64 {
        let mut oldest = u32::MAX;
        for (c, chunk) in self.rows[i].iter().enumerate() {
            let Some(chunk) = chunk else { return 0 };
            let here = &chunk[..CHUNK.min(self.nodes - c * CHUNK)];
            oldest = here.iter().fold(oldest, |oldest, version| oldest.min(*version));
        }
        oldest.into()
    }

    /// For every block the least version that some node has.
    pub(super) fn least(&self) -> Vec<u64> {
        let mut least = vec![u32::MAX; self.nodes];
        for row in &self.rows {
            for (least, chunk) in least.chunks_mut(CHUNK).zip(row) {
                match chunk {
                    None => least.fill(0),
                    Some(chunk) => least
                        .iter_mut()
                        .zip(&**chunk)
                        .for_each(|(least, version)| *least = (*least).min(*version)),
                }
            }
        }
        least.into_iter().map(u64::from).collect()
    }

    pub(super) fn merge(&mut self, heard: &[Vec<usize>]) {
        let now = &self.rows;
        let one = |(i, heard): (usize, &Vec<usize>)| {
            let mut next = now[i].clone();
            for j in heard.iter().filter(|j| **j != i) {
                next.iter_mut().zip(&now[*j]).for_each(|(mine, theirs)| newer(mine, theirs.as_ref()));
            }
            next
        };
        self.rows = heard.iter().enumerate().map(one).collect();
    }
}

/// Keeps the newer versions of one chunk.
fn newer(mine: &mut Option<Chunk>, theirs: Option<&Chunk>) {
    let Some(theirs) = theirs else { return };
    match mine {
        None => *mine = Some(Arc::clone(theirs)),
        Some(mine) if Arc::ptr_eq(mine, theirs) => {}
        Some(mine) => {
            let news = mine.iter().zip(&**theirs).any(|(mine, theirs)| theirs > mine);
            if news {
                let mine = Arc::make_mut(mine);
                dispatch!(wide::level(), simd => keep(simd, &mut mine[..], &theirs[..], u32::max));
            }
        }
    }
}

impl VersionRows for SparseVersions {
    type Number = u32;
    const LEAVES_OUT: bool = true;

    /// The parts with versions above 0.
    fn parts(&self, i: usize, blocks: Range<usize>, mut part: impl FnMut(usize, &[u32])) {
        for c in blocks.start / CHUNK..blocks.end.div_ceil(CHUNK) {
            let Some(Some(chunk)) = self.rows[i].get(c) else { continue };
            let (start, end) = (blocks.start.max(c * CHUNK), blocks.end.min((c + 1) * CHUNK));
            part(start - blocks.start, &chunk[start - c * CHUNK..end - c * CHUNK]);
        }
    }
}
