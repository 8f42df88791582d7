//! Everybody has one successor.

use super::cycle::Cycle;
use super::{Build, Context, Graph, Topology};
use crate::catalog::Listing;
use crate::{Error, Keys};

/// `i -> i + 1`, and back when undirected.
pub const LISTING: Listing<Build> =
    Listing { name: "ring", about: "node i sends to i+1; undirected: to both sides", keys: &[], build };

fn build(_: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let n = context.nodes;
    Ok(Box::new(Cycle::fixed(Graph::of(n, (0..n).map(|i| (i, (i + 1) % n))), context.directed)))
}
