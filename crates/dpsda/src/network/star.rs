//! One node in the middle, linked with all others: the least regular connected graph.

use super::fixed::fixed;
use super::graph::count;
use super::{Build, Graph};
use crate::Error;
use crate::catalog::Listing;

/// Links between node 0 and every other node, both ways.
///
/// ```
/// use dpsda::network::{Star, Topology};
/// let graph = Star::new(4)?.graph(0);
/// assert_eq!((graph.out(0), graph.out(3)), (&[1, 2, 3][..], &[0][..]));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Star(Graph);

impl Star {
    /// The star of `nodes` nodes, including the middle.
    pub fn new(nodes: usize) -> Result<Self, Error> {
        let n = count(nodes)?;
        Ok(Self(Graph::of(n, (1..n).flat_map(|i| [(0, i), (i, 0)]))))
    }
}

fixed!(Star);

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "star",
    about: "node 0 hears all others and all others hear node 0",
    keys: &[],
    build: |keys, context| Ok(Box::new(Star::new(context.nodes).map_err(|error| keys.locate(error))?)),
};
