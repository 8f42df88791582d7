//! Automatic steps of all nodes: what every version of a block says of its releases.

use std::collections::VecDeque;

use crate::learner::{AutoSteps, HeardBlock};
use crate::privacy::Released;

/// The nodes with automatic steps.
pub(super) struct AutoNodes {
    steps: Vec<AutoSteps>,
    blocks: Vec<BlockMarks>,
}

/// The versions of one block.
struct BlockMarks {
    /// The version of the first mark.
    first: u64,
    /// The energy of its releases, and the squared length of their sum.
    marks: VecDeque<(f64, f64)>,
    /// The energy of the last.
    energy: Released,
}

impl AutoNodes {
    /// Version 0 of every block is zero.
    pub(super) fn new(steps: Vec<AutoSteps>) -> Self {
        let block =
            |_: &AutoSteps| BlockMarks { first: 0, marks: [(0.0, 0.0)].into(), energy: Released::zeros(1) };
        Self { blocks: steps.iter().map(block).collect(), steps }
    }

    /// The next version of block `k`: what is released, and the sum with it.
    pub(super) fn push(&mut self, k: usize, v: &Released, sum: &Released) {
        let (basis, block) = (self.steps[k].basis(), &mut self.blocks[k]);
        basis.add_square(k, &mut block.energy, v);
        let length = basis.square(k, &mut sum.to_reals());
        block.marks.push_back((block.energy.to_reals().iter().sum(), length));
    }

    /// Forgets versions below the least that is used, for every block.
    pub(super) fn forget(&mut self, least: &[u64]) {
        for (block, least) in self.blocks.iter_mut().zip(least) {
            let unused = (least.saturating_sub(block.first) as usize).min(block.marks.len() - 1);
            block.marks.drain(..unused);
            block.first += unused as u64;
        }
    }

    /// The decision of node `i` in round `t`, from its versions and their sums. Version 0 is from before round 0, the others are from
    /// after these rounds.
    pub(super) fn decide(
        &mut self,
        i: usize,
        t: u64,
        versions: &[u64],
        rounds: &[u64],
        dual: &mut [f64],
        y: &mut [f64],
    ) {
        let heard = |(block, version): (&BlockMarks, &u64)| {
            let (energy, length) = block.marks[(version - block.first) as usize];
            let after = version.checked_sub(1).map_or(0, |release| rounds[release as usize] + 1);
            HeardBlock { version: after, energy, length }
        };
        let heard: Vec<HeardBlock> = self.blocks.iter().zip(versions).map(heard).collect();
        self.steps[i].decide(t, &heard, dual, y);
    }
}
