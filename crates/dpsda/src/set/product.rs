//! One set per node, for its block: the paper's remark on heterogeneous chi_i.

use std::fmt;
use std::ops::Range;

use super::{ConvexSet, ProxEach, Size};
use crate::{Blocks, Error};

/// `chi_1 x ... x chi_n`; its psi is the sum of theirs.
///
/// ```
/// use dpsda::Blocks;
/// use dpsda::set::{Ball, ConvexSet, Cuboid, Product};
/// let sets: Vec<Box<dyn ConvexSet>> = vec![Box::new(Ball::new(2.5)?), Box::new(Cuboid::new(0.0, 2.0)?)];
/// let product = Product::new(sets, Blocks::of(&[2, 1], 3)?)?;
/// let mut x = [3.0, 4.0, 5.0];
/// product.project(&mut x);
/// assert_eq!(x, [1.5, 2.0, 2.0]);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Product {
    sets: Vec<Box<dyn ConvexSet>>,
    blocks: Blocks,
}

impl Product {
    /// Set `i` for block `i`. Each set must fit the size of its block.
    pub fn new(sets: Vec<Box<dyn ConvexSet>>, blocks: Blocks) -> Result<Self, Error> {
        if sets.len() != blocks.nodes() {
            let remedy = format!("one set per node: there are {} nodes", blocks.nodes());
            return Err(Error::value("sets", format!("a list of {}", sets.len()), remedy));
        }
        for (i, (set, block)) in sets.iter().zip(blocks.iter()).enumerate() {
            set.fits(&Blocks::even(block.len(), 1)?).map_err(|error| error.within(&format!("sets[{i}]")))?;
        }
        Ok(Self { sets, blocks })
    }

    /// The product of the sets `each(i)` of all nodes `i`.
    ///
    /// ```
    /// use dpsda::Blocks;
    /// use dpsda::set::{Ball, ConvexSet, Product};
    /// let radii = [1.0, 2.0];
    /// let product = Product::of(Blocks::even(4, 2)?, |i| Ball::new(radii[i]))?;
    /// assert_eq!(product.floor(&[1.0, 0.0, 0.0, 1.0]), -3.0);
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn of<S: ConvexSet + 'static>(
        blocks: Blocks,
        mut each: impl FnMut(usize) -> Result<S, Error>,
    ) -> Result<Self, Error> {
        let set = |i| each(i).map(|set| Box::new(set) as Box<dyn ConvexSet>);
        Self::new((0..blocks.nodes()).map(set).collect::<Result<_, _>>()?, blocks)
    }

    fn parts(&self) -> impl Iterator<Item = (&dyn ConvexSet, Range<usize>)> {
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

    fn reach(&self, _dim: usize) -> Option<f64> {
        let square =
            |(set, block): (&dyn ConvexSet, Range<usize>)| set.reach(block.len()).map(|reach| reach * reach);
        self.parts().map(square).sum::<Option<f64>>().map(f64::sqrt)
    }

    fn tangent(&self, _dim: usize, block: Range<usize>, values: &mut [f64]) -> usize {
        let inside = self.parts().skip_while(|(_, part)| part.end <= block.start);
        let inside = inside.take_while(|(_, part)| part.end <= block.end);
        let part = |(set, part): (&dyn ConvexSet, Range<usize>)| {
            let values = values.get_mut(part.start.checked_sub(block.start)?..part.end - block.start)?;
            Some(set.tangent(part.len(), 0..part.len(), values))
        };
        inside.filter_map(part).sum()
    }

    fn sides(&self, dim: usize) -> Option<Vec<(f64, f64)>> {
        let mut all = Vec::with_capacity(dim);
        for (set, block) in self.parts() {
            all.extend(set.sides(block.len())?);
        }
        (all.len() == dim).then_some(all)
    }

    /// Every set restricts one node's block, so the blocks of all nodes always form a point of the product.
    fn is_separable(&self) -> bool {
        true
    }

    fn each(&self) -> Option<&dyn ProxEach> {
        self.sets.iter().all(|set| set.each().is_some()).then_some(self as &dyn ProxEach)
    }

    /// With other blocks, two nodes would separately decide coordinates that one set of the product couples.
    fn fits(&self, blocks: &Blocks) -> Result<(), Error> {
        if *blocks == self.blocks {
            return Ok(());
        }
        let found = format!("a product over blocks of {:?}", self.blocks.sizes());
        Err(Error::value(
            "set",
            found,
            format!("the nodes' blocks are {:?} (use these for the product)", blocks.sizes()),
        ))
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

impl fmt::Debug for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Product").field("blocks", &self.blocks).finish_non_exhaustive()
    }
}
