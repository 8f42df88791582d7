//! Nodes in rows and columns.

use super::cycle::Cycle;
use super::{Build, Context, Graph, Topology};
use crate::catalog::{Key, Listing};
use crate::{Error, Keys};

/// Links to the neighbours above, below, left and right, both ways; the border does not wrap.
pub const LISTING: Listing<Build> = Listing {
    name: "grid",
    about: "rows and columns, each node linked both ways with its up to four neighbours",
    keys: &[Key {
        name: "rows",
        about: "rows, a divisor of the nodes; default the most square one (a prime number of nodes gives a line)",
    }],
    build,
};

fn build(keys: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let n = context.nodes;
    let square = (1..=n).take_while(|r| r * r <= n).filter(|r| n.is_multiple_of(*r)).last().unwrap_or(1);
    let rows = match keys.count("rows", 1)? {
        None => square,
        Some(r) => usize::try_from(r).ok().filter(|r| n.is_multiple_of(*r)).ok_or_else(|| {
            keys.bad("rows", format!("expected a divisor of the {n} nodes (leave it out for {square} rows)"))
        })?,
    };
    let columns = n / rows;
    let right = (0..n).filter(|i| (i + 1) % columns != 0).map(|i| (i, i + 1));
    let down = (0..n.saturating_sub(columns)).map(|i| (i, i + columns));
    let graph = Graph::of(n, right.chain(down)).undirected();
    Ok(Box::new(Cycle::fixed(graph, context.directed)))
}
