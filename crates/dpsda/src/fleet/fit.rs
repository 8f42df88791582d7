//! Whether a cost and a graph fit a fleet.

use std::borrow::Cow;

use crate::network::Graph;
use crate::objective::Objective;
use crate::privacy::Plan;
use crate::privacy::plan::Adjacency;
use crate::{Blocks, Error};

/// Refuses a cost, or a part of one, that has another number of coordinates than the decision.
pub(super) fn fits(f: &dyn Objective, blocks: &Blocks, part: &str) -> Result<(), Error> {
    let (found, dim) = (f.dim(), blocks.dim());
    if found == dim {
        return Ok(());
    }
    let remedy = format!("the nodes decide {dim} coordinates together");
    Err(Error::value("cost", format!("{part}of {found} coordinates"), remedy))
}

/// Refuses a cost that does not say which part of it is an agent's own, where a clip is to bound that part. A cost has such
/// parts for all blocks or for none, so the first block is enough.
pub(super) fn has_agents<'y>(
    f: &dyn Objective,
    plan: &Plan,
    blocks: &Blocks,
    y: impl FnOnce() -> Cow<'y, [f64]>,
) -> Result<(), Error> {
    if plan.adjacency() != Adjacency::Agent || plan.unit().is_none() {
        return Ok(());
    }
    let asked = blocks.iter().next().is_none_or(|block| {
        let (mut own, mut public) = (vec![0.0; block.len()], vec![0.0; block.len()]);
        f.agent(&y(), block, &mut own, &mut public)
    });
    if asked {
        return Ok(());
    }
    let remedy = "this cost does not say which part of it is an agent's own (use adjacency = \"round\", or a cost with \
                  `Objective::agent`)";
    Err(Error::value("adjacency", "\"agent\"", remedy))
}

/// The graph over `nodes` nodes. A topology whose graph has another size breaks its contract: nodes beyond the last are then cut
/// off, and missing ones have no links, as in [`Varying`](crate::network::Varying).
pub(super) fn sized(graph: Graph, nodes: usize) -> Graph {
    if graph.nodes() == nodes {
        return graph;
    }
    Graph::of(nodes, graph.links().filter(|(i, j)| *i.max(j) < nodes))
}
