//! Row-stochastic weights on digraphs: DPSR.

use super::uniform::Uniform;
use super::{Build, Columns, Weights};
use crate::catalog::Listing;
use crate::network::Degree;

/// `1/indeg_i`: what a node can compute without knowing who hears it. Without directions it is [`Uniform`].
///
/// ```
/// use dpsda::network::Graph;
/// use dpsda::network::weights::{Row, matrix};
/// let graph = Graph::new(2, [(0, 1)])?;
/// assert_eq!(matrix(&Row, &graph), [[1.0, 0.0], [0.5, 0.5]]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Row;

impl Weights for Row {
    fn row(&self, me: Degree, heard: &[Degree], row: &mut [f64]) {
        Uniform.row(me, heard, row);
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
    about: "1/indeg_i: rows sum to 1 on every digraph, columns not in general; for dpsr, which corrects for them",
    keys: &[],
    build: |_| Ok(Box::new(Row)),
};
