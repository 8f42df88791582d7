//! Who owns which coordinates of the shared decision.

use std::ops::Range;

use crate::Error;

/// The blocks `b_1, ..., b_n` of a decision in `d` coordinates; consecutive, none empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks(Vec<usize>);

impl Blocks {
    /// `d` coordinates over `n` nodes: sizes differ by at most one, larger ones first.
    ///
    /// ```
    /// # use dpsda::Blocks;
    /// assert_eq!(Blocks::even(10, 4)?.sizes(), [3, 3, 2, 2]);
    /// assert!(Blocks::even(3, 4).is_err());
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn even(d: usize, n: usize) -> Result<Self, Error> {
        if n == 0 || n > d {
            let remedy =
                format!("the data have {d} features, and every node owns at least one (use 1 to {d} nodes)");
            return Err(Error::value("network.nodes", n, remedy));
        }
        Self::of(&(0..n).map(|i| d / n + usize::from(i < d % n)).collect::<Vec<_>>(), d)
    }

    /// Blocks of the sizes given, which must add up to `d`.
    pub fn of(sizes: &[usize], d: usize) -> Result<Self, Error> {
        let total: usize = sizes.iter().sum();
        if total != d || sizes.contains(&0) {
            let remedy =
                format!("sizes must be at least 1 and add up to the {d} features of the data, not {total}");
            return Err(Error::value("network.blocks", format!("{sizes:?}"), remedy));
        }
        let mut ends = vec![0];
        ends.extend(sizes.iter().scan(0, |end, size| {
            *end += size;
            Some(*end)
        }));
        Ok(Self(ends))
    }

    /// How many nodes.
    pub fn nodes(&self) -> usize {
        self.0.len() - 1
    }

    /// How many coordinates.
    pub fn dim(&self) -> usize {
        self.0[self.nodes()]
    }

    /// The coordinates of node `i`.
    pub fn range(&self, i: usize) -> Range<usize> {
        self.0[i]..self.0[i + 1]
    }

    /// All blocks in order.
    pub fn iter(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.0.windows(2).map(|w| w[0]..w[1])
    }

    /// Their sizes.
    pub fn sizes(&self) -> Vec<usize> {
        self.iter().map(|b| b.len()).collect()
    }
}
