//! One node in the middle: the least regular of connected graphs.

use super::cycle::Cycle;
use super::{Build, Context, Graph, Topology};
use crate::catalog::Listing;
use crate::{Error, Keys};

/// Node 0 and every other, both ways.
pub const LISTING: Listing<Build> = Listing {
    name: "star",
    about: "node 0 hears all and is heard by all; the others only it",
    keys: &[],
    build,
};

fn build(_: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let links = (1..context.nodes).flat_map(|i| [(0, i), (i, 0)]);
    Ok(Box::new(Cycle::fixed(Graph::of(context.nodes, links), context.directed)))
}
