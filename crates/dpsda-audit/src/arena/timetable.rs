//! The networks of the rounds that are played, computed once for many runs.

use dpsda::network::{Degree, Graph, Topology};

/// One entry per round that is played, and one more: the messages of the next round are already released.
pub(crate) struct Timetable {
    nodes: usize,
    rounds: Vec<Wires>,
}

/// Which nodes hear which in one round.
pub(crate) struct Wires {
    graph: Graph,
    /// By node.
    pub(crate) degrees: Vec<Degree>,
    /// The nodes that each node hears, itself included.
    pub(crate) heard: Vec<Vec<usize>>,
}

impl Timetable {
    /// The first rounds of a topology. Without a topology there is a single learner.
    pub(super) fn new(topology: Option<&dyn Topology>, rounds: u64) -> Self {
        let graph = |t| topology.map_or_else(|| Graph::empty(1), |topology| topology.graph(t));
        let wires = |graph: Graph| Wires { degrees: graph.degrees(), heard: graph.heard(), graph };
        let nodes = topology.map_or(1, Topology::nodes);
        Self { nodes, rounds: (0..=rounds).map(|t| wires(graph(t))).collect() }
    }

    /// The number of rounds that are played.
    pub(super) fn played(&self) -> u64 {
        self.rounds.len() as u64 - 1
    }

    /// Which nodes hear which in round `t`.
    pub(crate) fn wires(&self, t: u64) -> Option<&Wires> {
        self.rounds.get(t as usize)
    }
}

impl Topology for Timetable {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn graph(&self, t: u64) -> Graph {
        self.wires(t).map_or_else(|| Graph::empty(self.nodes), |wires| wires.graph.clone())
    }
}
