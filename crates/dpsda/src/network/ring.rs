//! Nodes in a circle: every node sends to the next.

use super::fixed::fixed;
use super::graph::count;
use super::{Build, Graph};
use crate::Error;
use crate::catalog::Listing;

/// `i -> i + 1`, modulo `n`; undirected, both ways.
///
/// ```
/// use dpsda::network::{Ring, Topology};
/// let ring = Ring::new(4)?;
/// assert_eq!(ring.graph(0).out(3), [0]);
/// assert_eq!(ring.undirected(0).out(3), [0, 2]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ring(Graph);

impl Ring {
    /// The ring of `nodes` nodes.
    pub fn new(nodes: usize) -> Result<Self, Error> {
        let n = count(nodes)?;
        Ok(Self(Graph::of(n, (0..n).map(|i| (i, (i + 1) % n)))))
    }
}

fixed!(Ring);

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "ring",
    about: "node i sends to i+1; undirected: to both sides",
    keys: &[],
    build: |keys, context| Ok(Box::new(Ring::new(context.nodes).map_err(|error| keys.locate(error))?)),
};
