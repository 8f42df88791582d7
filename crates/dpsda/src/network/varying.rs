//! Graphs from a closure.

use std::fmt;

use super::Topology;
use super::graph::{Graph, count};
use crate::Error;

/// A topology of your own: any function from rounds to graphs.
///
/// ```
/// use dpsda::network::{Graph, Topology, Varying};
/// // In even rounds every node sends to the next, in odd rounds to the one after.
/// let hop = |t: u64| 1 + (t % 2) as usize;
/// let network = Varying::new(5, move |t| Graph::of(5, (0..5).map(|i| (i, (i + hop(t)) % 5))))?.repeating(2)?;
/// assert_eq!(network.graph(7).out(4), [1]);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Varying<F> {
    nodes: usize,
    graph: F,
    period: Option<u64>,
}

impl<F: Fn(u64) -> Graph + Send + Sync> Varying<F> {
    /// The graph of round `t` is `graph(t)`. It must be a pure function: for the same round always the same graph, over
    /// `nodes` nodes. Only round 0 is checked here. If a later graph has more nodes, the extra ones are dropped; if it has
    /// fewer, the missing ones have no links.
    ///
    /// ```
    /// use dpsda::network::{Graph, Varying};
    /// let error = Varying::new(3, |_| Graph::empty(2)).unwrap_err().to_string();
    /// assert_eq!(error, "graph(0) = 2 nodes: expected 3, as many as `nodes`");
    /// ```
    pub fn new(nodes: usize, graph: F) -> Result<Self, Error> {
        let found = graph(0).nodes();
        if found != count(nodes)? {
            let remedy = format!("expected {nodes}, as many as `nodes`");
            return Err(Error::value("graph(0)", format!("{found} nodes"), remedy));
        }
        Ok(Self { nodes, graph, period: None })
    }

    /// The same, repeated every `rounds` rounds: the function is called only for the first `rounds`. Some algorithms need a
    /// period.
    ///
    /// ```
    /// use dpsda::network::{Graph, Topology, Varying};
    /// let link = |t: u64| Graph::of(2, (t > 0).then_some((0, 1)));
    /// let network = Varying::new(2, link)?.repeating(3)?;
    /// assert_eq!(network.period(), Some(3));
    /// assert_eq!(network.graph(3), Graph::empty(2));
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn repeating(self, rounds: u64) -> Result<Self, Error> {
        if rounds == 0 {
            return Err(Error::value("rounds", rounds, "expected at least 1"));
        }
        Ok(Self { period: Some(rounds), ..self })
    }
}

impl<F: Fn(u64) -> Graph + Send + Sync> Topology for Varying<F> {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn graph(&self, t: u64) -> Graph {
        let graph = (self.graph)(self.period.map_or(t, |period| t % period));
        if graph.nodes() == self.nodes {
            return graph;
        }
        Graph::of(self.nodes, graph.links().filter(|(i, j)| *i.max(j) < self.nodes))
    }

    fn period(&self) -> Option<u64> {
        self.period
    }
}

impl<F> fmt::Debug for Varying<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Varying")
            .field("nodes", &self.nodes)
            .field("period", &self.period)
            .finish_non_exhaustive()
    }
}
