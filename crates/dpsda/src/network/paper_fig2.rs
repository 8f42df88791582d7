//! The network of the paper's experiments: Fig. 2, section 6.

use super::cycle::Cycle;
use super::{Build, Context, Graph, Topology};
use crate::catalog::Listing;
use crate::{Error, Keys};

/// 4-strongly connected digraphs over 7 nodes.
pub const LISTING: Listing<Build> =
    Listing { name: "paper-fig2", about: "the four digraphs of Fig. 2, in turn (7 nodes)", keys: &[], build };

const NODES: usize = 7;

/// Sender and receiver, nodes from 0, for the rounds 0 to 3.
const LINKS: [&[(usize, usize)]; 4] = [
    &[(2, 5), (2, 6), (3, 2), (4, 2), (4, 5), (5, 3), (6, 4)],
    &[(0, 1), (2, 1)],
    &[(0, 2), (1, 2), (3, 4), (3, 6), (4, 5), (5, 3), (6, 4)],
    &[(1, 0)],
];

fn build(keys: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    if context.nodes != NODES {
        let remedy = "the graph of Fig. 2 has 7 nodes (use nodes = 7, or another graph)";
        return Err(Error::value(keys.name("nodes"), context.nodes, remedy));
    }
    let graphs = LINKS.iter().map(|links| Graph::of(NODES, links.iter().copied())).collect();
    Ok(Box::new(Cycle::of(NODES, graphs, context.directed)))
}
