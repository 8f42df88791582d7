//! Row-stochastic weights on digraphs: DPSR.

use super::uniform::UniformWeights;
use super::{Build, Columns, Weights};
use crate::catalog::Listing;
use crate::network::Degree;

/// `1/indeg_i`: a node can compute it without knowing which nodes hear it. On undirected graphs it is [`UniformWeights`].
///
/// ```
/// use dpsda::network::Graph;
/// use dpsda::network::weights::{RowWeights, matrix};
/// let graph = Graph::new(2, [(0, 1)])?;
/// assert_eq!(matrix(&RowWeights, &graph), [[1.0, 0.0], [0.5, 0.5]]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowWeights;

impl Weights for RowWeights {
    fn row(&self, me: Degree, heard: &[Degree], row: &mut [f64]) {
        UniformWeights.row(me, heard, row);
    }

    fn name(&self) -> &str {
        LISTING.name
    }

    fn row_stochastic(&self) -> bool {
        true
    }

    fn column_stochastic(&self) -> Columns {
        Columns::No
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "row",
    about: "1/indeg_i: rows sum to 1 on every digraph, columns not in general; for dpsr, which corrects for that",
    keys: &[],
    build: |_| Ok(Box::new(RowWeights)),
};
