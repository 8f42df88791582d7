//! One set for every node's block: the paper's remark on heterogeneous chi_i.

use super::{ConvexSet, ProxEach, Size};
use crate::{Blocks, Error};

/// `chi_1 x ... x chi_n`, with psi the sum of theirs.
pub struct Product {
    sets: Vec<Box<dyn ConvexSet>>,
    blocks: Blocks,
}

impl Product {
    /// Set `i` for block `i`, each built for the size of its block.
    pub fn new(sets: Vec<Box<dyn ConvexSet>>, blocks: Blocks) -> Result<Self, Error> {
        if sets.len() == blocks.nodes() {
            Ok(Self { sets, blocks })
        } else {
            let remedy = format!("one set per node: there are {} nodes", blocks.nodes());
            Err(Error::value("set.each", format!("{} sets", sets.len()), remedy))
        }
    }

    fn parts(&self) -> impl Iterator<Item = (&dyn ConvexSet, std::ops::Range<usize>)> {
        self.sets.iter().map(AsRef::as_ref).zip(self.blocks.iter())
    }
}

impl ConvexSet for Product {
    fn project(&self, x: &mut [f64]) {
        self.parts().for_each(|(set, block)| set.project(&mut x[block]));
    }

    fn prox(&self, z: &[f64], alpha: f64, y: &mut [f64]) {
        self.parts().for_each(|(set, block)| set.prox(&z[block.clone()], alpha, &mut y[block]));
    }

    fn psi(&self, x: &[f64]) -> f64 {
        self.parts().map(|(set, block)| set.psi(&x[block])).sum()
    }

    fn floor(&self, c: &[f64]) -> f64 {
        let sum: f64 = self.parts().map(|(set, block)| set.floor(&c[block])).sum();
        if sum.is_nan() { f64::NEG_INFINITY } else { sum }
    }

    fn size(&self, _dim: usize) -> Size {
        let sizes: Vec<Size> = self.parts().map(|(set, block)| set.size(block.len())).collect();
        let squares: f64 = sizes.iter().map(|s| s.diameter * s.diameter).sum();
        Size { diameter: squares.sqrt(), psi: sizes.iter().map(|s| s.psi).sum() }
    }

    /// Its blocks are the nodes' own, so what they decide apart fits together whatever each is restricted to.
    fn is_separable(&self) -> bool {
        true
    }
    fn each(&self) -> Option<&dyn ProxEach> {
        self.sets.iter().all(|set| set.each().is_some()).then_some(self as &dyn ProxEach)
    }
}

impl ProxEach for Product {
    fn prox_each(&self, z: &[f64], steps: &[f64], y: &mut [f64]) {
        for (set, block) in self.parts() {
            if let Some(set) = set.each() {
                set.prox_each(&z[block.clone()], &steps[block.clone()], &mut y[block]);
            }
        }
    }
}
