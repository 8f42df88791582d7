//! One message per node and round, and still all nodes are reached in `ceil(log2 n)` rounds.

use super::graph::count;
use super::{Build, Graph, Topology};
use crate::Error;
use crate::catalog::Listing;

/// In round `t` node `i` sends to `i + 2^(t mod ceil(log2 n))`, modulo `n`.
///
/// ```
/// use dpsda::network::{Exponential, Topology};
/// let network = Exponential::new(8)?;
/// assert_eq!([0, 1, 2].map(|t| network.graph(t).out(0)[0]), [1, 2, 4]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exponential {
    nodes: usize,
}

impl Exponential {
    /// The one-peer exponential graphs of `nodes` nodes.
    pub fn new(nodes: usize) -> Result<Self, Error> {
        Ok(Self { nodes: count(nodes)? })
    }

    /// `ceil(log2 n)`, so that every hop is shorter than `n`; 1 for a single node, which has no hop.
    fn rounds(self) -> u64 {
        u64::from(self.nodes.next_power_of_two().trailing_zeros().max(1))
    }
}

impl Topology for Exponential {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn graph(&self, t: u64) -> Graph {
        let (n, hop) = (self.nodes, 1 << (t % self.rounds()));
        Graph::of(n, (0..n).map(|i| (i, (i + hop) % n)))
    }

    fn period(&self) -> Option<u64> {
        Some(self.rounds())
    }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "exponential",
    about: "one-peer exponential: in round t node i sends to i + 2^(t mod ceil(log2 n))",
    keys: &[],
    build: |keys, context| Ok(Box::new(Exponential::new(context.nodes).map_err(|error| keys.locate(error))?)),
};
