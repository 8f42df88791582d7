//! One message per node and round, and yet everybody is reached in `ceil(log2 n)` rounds.

use super::cycle::Cycle;
use super::{Build, Context, Graph, Topology};
use crate::catalog::Listing;
use crate::{Error, Keys};

/// In round `t` node `i` sends to `i + 2^(t mod ceil(log2 n))`, modulo `n`.
pub const LISTING: Listing<Build> = Listing {
    name: "exponential",
    about: "one-peer exponential: in round t node i sends to i + 2^(t mod ceil(log2 n))",
    keys: &[],
    build,
};

fn build(_: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let n = context.nodes;
    let period = n.next_power_of_two().trailing_zeros(); // ceil(log2 n), so that every hop is shorter than n
    let hop = |k: u32| Graph::of(n, (0..n).map(|i| (i, (i + (1 << k)) % n)));
    Ok(Box::new(Cycle::of(n, (0..period).map(hop).collect(), context.directed)))
}
