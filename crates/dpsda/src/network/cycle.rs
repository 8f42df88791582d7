//! A list of graphs that repeats.

use super::{Graph, Topology};
use crate::Error;

/// The given graphs in order, again and again. A single graph makes a fixed network.
///
/// ```
/// use dpsda::network::{Cycle, Graph, Topology};
/// let cycle = Cycle::new(vec![Graph::new(2, [(0, 1)])?, Graph::new(2, [(1, 0)])?])?;
/// assert_eq!(cycle.graph(3).out(1), [0]);
/// assert_eq!(cycle.period(), Some(2));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// At least one.
    graphs: Vec<Graph>,
}

impl Cycle {
    /// These graphs in turn, from round 0 on. Give at least one; all must have the same number of nodes.
    ///
    /// ```
    /// use dpsda::network::{Cycle, Graph};
    /// let error = Cycle::new(vec![Graph::empty(2), Graph::empty(3)]).unwrap_err().to_string();
    /// assert_eq!(error, "graphs[1] = 3 nodes: graphs[0] has 2 (use the same nodes in every round)");
    /// assert!(Cycle::new(vec![]).is_err());
    /// ```
    pub fn new(graphs: Vec<Graph>) -> Result<Self, Error> {
        let Some(nodes) = graphs.first().map(Graph::nodes) else {
            let remedy = "expected at least one graph (`Graph::empty` is one without links)";
            return Err(Error::value("graphs", "[]", remedy));
        };
        match graphs.iter().position(|graph| graph.nodes() != nodes) {
            Some(k) => Err(Error::value(
                format!("graphs[{k}]"),
                format!("{} nodes", graphs[k].nodes()),
                format!("graphs[0] has {nodes} (use the same nodes in every round)"),
            )),
            None => Ok(Self { graphs }),
        }
    }

    /// The same links in every round.
    ///
    /// ```
    /// use dpsda::network::{Cycle, Graph, Topology};
    /// let pair = Cycle::fixed(Graph::new(2, [(0, 1), (1, 0)])?);
    /// assert_eq!(pair.graph(0), pair.graph(1));
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn fixed(graph: Graph) -> Self {
        Self { graphs: vec![graph] }
    }
}

impl Topology for Cycle {
    fn nodes(&self) -> usize {
        self.graphs[0].nodes()
    }

    fn graph(&self, t: u64) -> Graph {
        self.graphs[(t % self.graphs.len() as u64) as usize].clone()
    }

    fn period(&self) -> Option<u64> {
        Some(self.graphs.len() as u64)
    }
}
