//! The running sums of every block, by version.

use crate::Blocks;
use crate::privacy::Released;

/// To find out which versions are used takes a look at all nodes. So for every so many nodes there may be one that is not.
const NODES: usize = 512;

/// The versions of each block that some node may still use.
pub(super) struct Known {
    blocks: Vec<KnownBlock>,
    /// The most versions of a block when unused ones were last forgotten.
    kept: usize,
}

/// One block.
pub(super) struct KnownBlock {
    /// How many coordinates it has.
    pub(super) len: usize,
    /// The version of the first of the sums.
    pub(super) first: u64,
    /// The sums, in order of versions.
    sums: Vec<f64>,
}

impl KnownBlock {
    /// How many versions it has.
    pub(super) fn count(&self) -> usize {
        self.sums.len() / self.len.max(1)
    }

    /// The sum with this number, counted from the first, or the last one.
    pub(super) fn sum(&self, number: usize) -> &[f64] {
        let number = number.min(self.count().saturating_sub(1));
        &self.sums[number * self.len..][..self.len]
    }
}

impl Known {
    /// Version 0 of every block is zero.
    pub(super) fn new(blocks: &Blocks) -> Self {
        let block = |len| KnownBlock { len, first: 0, sums: vec![0.0; len] };
        Self { blocks: blocks.sizes().into_iter().map(block).collect(), kept: 1 }
    }

    /// All blocks in order.
    pub(super) fn blocks(&self) -> &[KnownBlock] {
        &self.blocks
    }

    /// The next version of block `k`.
    pub(super) fn push(&mut self, k: usize, sum: &Released) {
        sum.write_reals(&mut self.blocks[k].sums);
    }

    /// The sum of block `k` in this version.
    pub(super) fn sum(&self, k: usize, version: u64) -> &[f64] {
        let block = &self.blocks[k];
        block.sum((version - block.first) as usize)
    }

    /// The most versions that a block has.
    pub(super) fn longest(&self) -> usize {
        self.blocks.iter().map(KnownBlock::count).max().unwrap_or(0)
    }

    /// Whether it is time to forget versions that nobody uses.
    pub(super) fn is_long(&self) -> bool {
        self.longest() > self.kept + self.blocks.len() / NODES
    }

    /// Forgets versions below the least that is used, for every block.
    pub(super) fn forget(&mut self, least: &[u64]) {
        for (block, least) in self.blocks.iter_mut().zip(least) {
            let unused = (least.saturating_sub(block.first) as usize).min(block.count().saturating_sub(1));
            block.sums.drain(..unused * block.len);
            block.first += unused as u64;
        }
        self.kept = self.longest();
    }
}
