//! The network of the paper's experiments: Fig. 2, section 6.

use super::{Build, Context, Graph, Topology};
use crate::catalog::Listing;
use crate::{Error, Keys};

/// The four digraphs over 7 nodes, in turn; together they are 4-strongly connected.
///
/// ```
/// use dpsda::network::{PaperFig2, Topology};
/// assert_eq!((PaperFig2.nodes(), PaperFig2.period()), (7, Some(4)));
/// assert_eq!(PaperFig2.graph(3).links().collect::<Vec<_>>(), [(1, 0)]);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PaperFig2;

const NODES: usize = 7;

/// Sender and receiver of every link in rounds 0 to 3; nodes count from 0.
const LINKS: [&[(usize, usize)]; 4] = [
    &[(2, 5), (2, 6), (3, 2), (4, 2), (4, 5), (5, 3), (6, 4)],
    &[(0, 1), (2, 1)],
    &[(0, 2), (1, 2), (3, 4), (3, 6), (4, 5), (5, 3), (6, 4)],
    &[(1, 0)],
];

impl Topology for PaperFig2 {
    fn nodes(&self) -> usize {
        NODES
    }

    fn graph(&self, t: u64) -> Graph {
        Graph::of(NODES, LINKS[(t % 4) as usize].iter().copied())
    }

    fn period(&self) -> Option<u64> {
        Some(4)
    }
}

fn build(keys: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    if context.nodes == NODES {
        return Ok(Box::new(PaperFig2));
    }
    let remedy = "the graph of Fig. 2 has 7 nodes (use nodes = 7, or another graph)";
    Err(Error::value(keys.name("nodes"), context.nodes, remedy))
}

/// Its place in the table.
pub const LISTING: Listing<Build> =
    Listing { name: "paper-fig2", about: "the four digraphs of Fig. 2, in turn (7 nodes)", keys: &[], build };
