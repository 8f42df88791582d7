//! Nodes in rows and columns.

use super::fixed::fixed;
use super::graph::{MAX_NODES, count};
use super::{Build, Context, Graph, Topology};
use crate::catalog::{Key, Listing};
use crate::{Error, Keys};

/// Links to the neighbours above, below, left and right, both ways; the border does not wrap.
///
/// ```
/// use dpsda::network::{GridNetwork, Topology};
/// let grid = GridNetwork::new(2, 3)?; // 0 1 2
/// let graph = grid.graph(0); //   3 4 5
/// assert_eq!(graph.out(4), [1, 3, 5]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridNetwork(Graph);

impl GridNetwork {
    /// `rows` rows of `columns` nodes each; nodes are numbered along the rows.
    pub fn new(rows: usize, columns: usize) -> Result<Self, Error> {
        if rows == 0 || columns == 0 || rows.checked_mul(columns).is_none_or(|n| n > MAX_NODES) {
            let remedy = format!("expected 1 to {MAX_NODES} nodes in rows and columns");
            return Err(Error::value("rows x columns", format!("{rows} x {columns}"), remedy));
        }
        let n = rows * columns;
        let right = (0..n).filter(|i| (i + 1) % columns != 0).map(|i| (i, i + 1));
        let down = (0..n - columns).map(|i| (i, i + columns));
        Ok(Self(Graph::of(n, right.chain(down)).undirected()))
    }

    /// The most square grid of `nodes` nodes; for a prime number it is a line.
    ///
    /// ```
    /// # use dpsda::network::GridNetwork;
    /// assert_eq!(GridNetwork::square(6)?, GridNetwork::new(2, 3)?);
    /// assert_eq!(GridNetwork::square(7)?, GridNetwork::new(1, 7)?);
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn square(nodes: usize) -> Result<Self, Error> {
        let rows = square(count(nodes)?);
        Self::new(rows, nodes / rows)
    }
}

/// The number of rows of the most square grid.
fn square(n: usize) -> usize {
    (1..=n).take_while(|r| r * r <= n).filter(|r| n.is_multiple_of(*r)).last().unwrap_or(1)
}

fixed!(GridNetwork);

fn build(keys: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let n = context.nodes;
    let grid = match keys.count("rows", 1)? {
        None => GridNetwork::square(n),
        Some(r) => {
            let rows = usize::try_from(r).ok().filter(|r| n.is_multiple_of(*r)).ok_or_else(|| {
                let square = square(n);
                keys.bad(
                    "rows",
                    format!("expected a divisor of the {n} nodes (leave it out for {square} rows)"),
                )
            })?;
            GridNetwork::new(rows, n / rows)
        }
    };
    Ok(Box::new(grid.map_err(|error| keys.locate(error))?))
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "grid",
    about: "rows and columns; each node is linked both ways with its neighbours, at most four",
    keys: &[Key {
        name: "rows",
        about: "rows, a divisor of the nodes; default the most square one (a prime number of nodes gives a line)",
    }],
    build,
};
