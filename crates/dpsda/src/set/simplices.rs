//! Several probability simplices side by side: shares of several things.

use std::ops::Range;

use super::{Build, ConvexSet, Psi, Simplex, Size};
use crate::catalog::{Key, Listing};
use crate::{Blocks, Error};

/// A product of simplices: the first `sizes[0]` coordinates sum to one, the next `sizes[1]` too, and so on.
///
/// ```
/// use dpsda::Blocks;
/// use dpsda::set::{ConvexSet, Psi, Simplices};
/// let set = Simplices::new(&[2, 3])?;
/// let mut x = [3.0, 0.0, 1.0, 1.0, 1.0];
/// set.project(&mut x);
/// assert_eq!(x[..2], [1.0, 0.0]);
/// assert_eq!(set.floor(&[1.0, 2.0, 5.0, 4.0, 3.0]), 4.0); // 1 + 3
/// assert!(set.fits(&Blocks::of(&[2, 3], 5)?).is_ok());
/// assert!(set.fits(&Blocks::of(&[3, 2], 5)?).is_err()); // the second simplex would have two owners
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simplices {
    /// Where each simplex ends.
    ends: Vec<usize>,
    each: Simplex,
}

impl Simplices {
    /// Simplices of these sizes, with `psi = |x|^2/2`.
    pub fn new(sizes: &[usize]) -> Result<Self, Error> {
        if sizes.is_empty() {
            return Err(Error::value("sizes", "[]", "expected at least one size"));
        }
        if let Some(k) = sizes.iter().position(|size| *size == 0) {
            return Err(Error::value(
                format!("sizes[{k}]"),
                0,
                "expected at least 1: shares need something to share",
            ));
        }
        let mut ends = Vec::with_capacity(sizes.len());
        let mut end = 0_usize;
        for (k, size) in sizes.iter().enumerate() {
            end = end
                .checked_add(*size)
                .ok_or_else(|| Error::value(format!("sizes[{k}]"), size, "the sum is too large"))?;
            ends.push(end);
        }
        Ok(Self { ends, each: Simplex::default() })
    }

    /// The same simplices with this proximal function. Theirs is the sum.
    ///
    /// ```
    /// use dpsda::set::{ConvexSet, Psi, Simplices};
    /// let set = Simplices::new(&[2, 1])?.psi_of(Psi::Entropic);
    /// let mut y = [0.0; 3];
    /// set.prox(&[0.0, 3.0, 9.0], 1.0, &mut y);
    /// assert!((y[0] / y[1] - 3_f64.exp()).abs() < 1e-12 && y[2] == 1.0);
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    #[must_use]
    pub fn psi_of(mut self, psi: Psi) -> Self {
        self.each = Simplex::new(psi);
        self
    }

    fn dim(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The coordinates of each simplex.
    fn parts(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| start..*end)
    }
}

impl ConvexSet for Simplices {
    fn project(&self, x: &mut [f64]) {
        self.parts().for_each(|part| x.get_mut(part).into_iter().for_each(|x| self.each.project(x)));
    }

    fn prox(&self, z: &[f64], alpha: f64, y: &mut [f64]) {
        for part in self.parts() {
            if let (Some(z), Some(y)) = (z.get(part.clone()), y.get_mut(part)) {
                self.each.prox(z, alpha, y);
            }
        }
    }

    fn psi(&self, x: &[f64]) -> f64 {
        self.parts().filter_map(|part| x.get(part)).map(|x| self.each.psi(x)).sum()
    }

    fn floor(&self, c: &[f64]) -> f64 {
        let sum: f64 = self.parts().filter_map(|part| c.get(part)).map(|c| self.each.floor(c)).sum();
        if sum.is_nan() { f64::NEG_INFINITY } else { sum }
    }

    fn size(&self, _dim: usize) -> Size {
        let sizes: Vec<Size> = self.parts().map(|part| self.each.size(part.len())).collect();
        let squares: f64 = sizes.iter().map(|size| size.diameter * size.diameter).sum();
        Size { diameter: squares.sqrt(), psi: sizes.iter().map(|size| size.psi).sum() }
    }

    /// Blocks that [fit](ConvexSet::fits) hold whole simplices, so they always form a point of the set.
    fn reach(&self, _dim: usize) -> Option<f64> {
        let square = |part: Range<usize>| self.each.reach(part.len()).map(|reach| reach * reach);
        self.parts().map(square).sum::<Option<f64>>().map(f64::sqrt)
    }

    fn tangent(&self, _dim: usize, block: Range<usize>, values: &mut [f64]) -> usize {
        let first = self.ends.partition_point(|end| *end <= block.start);
        let inside = self.parts().skip(first).take_while(|part| part.end <= block.end);
        let part = |part: Range<usize>| {
            let values = values.get_mut(part.start.checked_sub(block.start)?..part.end - block.start)?;
            Some(self.each.tangent(part.len(), 0..part.len(), values))
        };
        inside.filter_map(part).sum()
    }

    fn is_separable(&self) -> bool {
        true
    }

    /// Two owners of one simplex could leave it together.
    fn fits(&self, blocks: &Blocks) -> Result<(), Error> {
        if blocks.dim() != self.dim() {
            let remedy = format!("there are {} coordinates (the sizes must sum to that)", blocks.dim());
            return Err(Error::value("sizes", format!("a sum of {}", self.dim()), remedy));
        }
        let whole = |end: usize| end == 0 || self.ends.binary_search(&end).is_ok();
        match blocks.iter().find(|block| !whole(block.end)) {
            None => Ok(()),
            Some(block) => Err(Error::value(
                "sizes",
                format!("a simplex across coordinate {}", block.end),
                "one node must own all of a simplex (let its block end where a simplex ends)",
            )),
        }
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "simplices",
    about: "several simplices side by side: the coordinates of each sum to one",
    keys: &[
        Key { name: "sizes", about: "the number of coordinates of each simplex, in order" },
        Key { name: "psi", about: "\"euclidean\" (default) or \"entropic\": exponentiated gradients" },
    ],
    build: |keys, dim| {
        let (sizes, psi) = (keys.counts("sizes"), Psi::read(keys));
        let Some(sizes) = sizes? else {
            return Err(keys.bad("sizes", format!("a list of sizes that sum to {dim}")));
        };
        let set = Simplices::new(&sizes).map_err(|error| keys.locate(error))?.psi_of(psi?);
        set.fits(&Blocks::even(dim, 1)?).map_err(|error| keys.locate(error))?;
        Ok(Box::new(set))
    },
};
