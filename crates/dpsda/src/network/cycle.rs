//! Graphs written down once and repeated.

use super::{Graph, Topology};

/// The graphs given, in order, again and again; one graph makes a fixed network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    nodes: usize,
    graphs: Vec<Graph>,
}

impl Cycle {
    /// `graphs` over `nodes` nodes, directions dropped unless `directed`; no graph at all means no link ever.
    pub fn of(nodes: usize, graphs: Vec<Graph>, directed: bool) -> Self {
        let keep = |g: Graph| if directed { g } else { g.undirected() };
        Self { nodes, graphs: graphs.into_iter().map(keep).collect() }
    }

    /// The same links in every round.
    pub fn fixed(graph: Graph, directed: bool) -> Self {
        Self::of(graph.nodes(), vec![graph], directed)
    }
}

impl Topology for Cycle {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn graph(&self, t: u64) -> Graph {
        let phase = t % self.graphs.len().max(1) as u64;
        self.graphs.get(phase as usize).cloned().unwrap_or_else(|| Graph::empty(self.nodes))
    }

    fn period(&self) -> Option<u64> {
        Some(self.graphs.len().max(1) as u64)
    }
}
