//! Every node hears every other: the best-connected network.

use super::fixed::fixed;
use super::graph::count;
use super::{Build, Graph};
use crate::Error;
use crate::catalog::Listing;

/// A link from every node to every other.
///
/// ```
/// use dpsda::network::{Complete, Topology};
/// assert_eq!(Complete::new(5)?.graph(0).links().count(), 20);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complete(Graph);

impl Complete {
    /// All links between `nodes` nodes.
    pub fn new(nodes: usize) -> Result<Self, Error> {
        let n = count(nodes)?;
        Ok(Self(Graph::of(n, (0..n).flat_map(|i| (0..n).map(move |j| (i, j))))))
    }
}

fixed!(Complete);

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "complete",
    about: "every node hears every other",
    keys: &[],
    build: |keys, context| Ok(Box::new(Complete::new(context.nodes).map_err(|error| keys.locate(error))?)),
};
