//! `network.nodes` and `network.blocks`: which node owns which coordinates.

use dpsda::catalog::find;
use dpsda::network::{MAX_NODES, TOPOLOGIES};
use dpsda::{Blocks, Error, Keys};

/// The blocks of the nodes. If the cost has agents, a node owns whole agents: one each, unless there are fewer nodes.
pub(crate) fn read(keys: &Keys<'_>, dim: usize, agents: Option<Vec<usize>>) -> Result<Blocks, Error> {
    let nodes = keys.count("nodes", 1)?.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    if nodes.is_some_and(|n| n > MAX_NODES) {
        return Err(keys.bad("nodes", format!("expected at most {MAX_NODES} nodes")));
    }
    let sizes = match (keys.counts("blocks")?, agents) {
        (None, Some(agents)) => Some(whole_agents(keys, &agents, nodes.unwrap_or(agents.len()))?),
        (Some(sizes), Some(agents))
            if !borders(&sizes).iter().all(|border| borders(&agents).contains(border)) =>
        {
            let remedy = "a block divides an agent, whose data would then move several releases (a node owns whole agents)";
            return Err(keys.bad("blocks", remedy));
        }
        (sizes, _) => sizes,
    };
    match (nodes, sizes) {
        (Some(n), Some(sizes)) if n != sizes.len() => Err(keys.bad(
            "blocks",
            format!("{} sizes for network.nodes = {n} (give one size per node)", sizes.len()),
        )),
        (_, Some(sizes)) => Blocks::of(&sizes, dim).map_err(|error| keys.locate(error.at("sizes", "blocks"))),
        (Some(n), None) => Blocks::even(dim, n).map_err(|error| keys.locate(error)),
        (None, None) if keys.str("graph")? == Some("paper-fig2") => {
            Blocks::even(dim, 7).map_err(|error| keys.locate(error))
        }
        // If the graph is unknown, that is the error to report, not the missing number of nodes.
        (None, None) if keys.str("graph")?.is_some_and(|g| TOPOLOGIES.iter().all(|t| t.name != g)) => {
            find(TOPOLOGIES, &keys.name("graph"), keys.str("graph")?.unwrap_or_default())
                .and_then(|_| Blocks::even(dim, 1))
        }
        (None, None) => Err(keys.bad("nodes", "say how many nodes share the decision, e.g. nodes = 7")),
    }
}

/// Where blocks of these sizes end.
fn borders(sizes: &[usize]) -> Vec<usize> {
    let add = |end: &mut usize, size: &usize| {
        *end = end.saturating_add(*size);
        Some(*end)
    };
    sizes.iter().scan(0, add).collect()
}

/// The coordinates of each of `nodes` nodes, which own whole agents, as equal in number as possible.
fn whole_agents(keys: &Keys<'_>, agents: &[usize], nodes: usize) -> Result<Vec<usize>, Error> {
    if nodes > agents.len() {
        let remedy =
            format!("there are {} agents, and every node needs one (use at most that many)", agents.len());
        return Err(keys.bad("nodes", remedy));
    }
    let start = |i: usize| i * (agents.len() / nodes) + i.min(agents.len() % nodes);
    Ok((0..nodes).map(|i| agents[start(i)..start(i + 1)].iter().sum()).collect())
}
