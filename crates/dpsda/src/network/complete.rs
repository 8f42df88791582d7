//! Everybody hears everybody: the best a network can do.

use super::cycle::Cycle;
use super::{Build, Context, Graph, Topology};
use crate::catalog::Listing;
use crate::{Error, Keys};

/// All links.
pub const LISTING: Listing<Build> =
    Listing { name: "complete", about: "every node hears every node", keys: &[], build };

fn build(_: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let n = context.nodes;
    let links = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    Ok(Box::new(Cycle::fixed(Graph::of(n, links), context.directed)))
}
