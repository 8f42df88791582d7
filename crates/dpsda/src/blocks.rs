//! Who owns which coordinates of the shared decision.

use std::ops::Range;

use crate::Error;

/// The blocks `b_1, ..., b_n` of a decision in `d` coordinates; consecutive, none empty.
///
/// ```
/// use dpsda::Blocks;
/// let blocks = Blocks::even(21, 7)?;
/// assert_eq!((blocks.nodes(), blocks.dim(), blocks.range(2)), (7, 21, 6..9));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks(Vec<usize>);

impl Blocks {
    /// `dim` coordinates over `nodes` nodes: sizes differ by at most one, larger ones first.
    ///
    /// ```
    /// # use dpsda::Blocks;
    /// assert_eq!(Blocks::even(10, 4)?.sizes(), [3, 3, 2, 2]);
    /// let error = Blocks::even(3, 4).unwrap_err().to_string();
    /// assert_eq!(error, "nodes = 4: there are 3 coordinates, and every node owns at least one (use 1 to 3 nodes)");
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn even(dim: usize, nodes: usize) -> Result<Self, Error> {
        if dim == 0 {
            return Err(Error::value("dim", dim, "a decision has at least one coordinate"));
        }
        if nodes == 0 || nodes > dim {
            let remedy = format!(
                "there are {dim} coordinates, and every node owns at least one (use 1 to {dim} nodes)"
            );
            return Err(Error::value("nodes", nodes, remedy));
        }
        let size = |i| dim / nodes + usize::from(i < dim % nodes);
        Self::of(&(0..nodes).map(size).collect::<Vec<_>>(), dim)
    }

    /// Blocks of the sizes given, which must add up to `dim`.
    ///
    /// ```
    /// # use dpsda::Blocks;
    /// assert_eq!(Blocks::of(&[1, 2, 3], 6)?.range(1), 1..3);
    /// let error = Blocks::of(&[1, 2], 6).unwrap_err().to_string();
    /// assert_eq!(error, "sizes = [1, 2]: sizes must be at least 1 and add up to the 6 coordinates, not 3");
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn of(sizes: &[usize], dim: usize) -> Result<Self, Error> {
        let total = sizes.iter().fold(0, |total: usize, size| total.saturating_add(*size));
        if total != dim || sizes.contains(&0) || sizes.is_empty() {
            let remedy = format!("sizes must be at least 1 and add up to the {dim} coordinates, not {total}");
            return Err(Error::value("sizes", format!("{sizes:?}"), remedy));
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
    ///
    /// # Panics
    ///
    /// If there is no node `i`, as a slice does.
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
