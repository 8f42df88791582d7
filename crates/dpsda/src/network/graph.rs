//! The links of one round.

use crate::Error;

/// The most nodes of a graph. More are taken for a mistake.
pub const MAX_NODES: usize = 1 << 20;

/// The links of one round. Every node also hears itself; a graph does not list those links.
///
/// ```
/// use dpsda::network::Graph;
/// let graph = Graph::new(3, [(0, 1), (1, 2)])?; // 0 sends to 1, 1 sends to 2
/// assert_eq!(graph.heard(), [vec![0], vec![0, 1], vec![1, 2]]);
/// assert_eq!(graph.undirected().links().count(), 4);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    out: Vec<Vec<usize>>,
}

/// How many nodes a node hears in a round and how many hear it; both include the node itself.
///
/// ```
/// use dpsda::network::{Degree, Graph};
/// let graph = Graph::new(3, [(0, 1), (0, 2)])?;
/// assert_eq!(graph.degrees()[0], Degree { node: 0, heard: 1, told: 3 });
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Degree {
    /// The node.
    pub node: usize,
    /// `|N_in|`, how many nodes it hears.
    pub heard: usize,
    /// `|N_out|`, how many nodes hear it.
    pub told: usize,
}

impl Graph {
    /// `nodes` nodes, counted from 0, and the links `(sender, receiver)`. Self-loops and repetitions are dropped.
    ///
    /// ```
    /// use dpsda::network::Graph;
    /// let error = Graph::new(3, [(0, 1), (1, 3)]).unwrap_err().to_string();
    /// assert_eq!(error, "links = 1 -> 3: there is no node 3: the 3 nodes are 0 to 2");
    /// ```
    pub fn new(nodes: usize, links: impl IntoIterator<Item = (usize, usize)>) -> Result<Self, Error> {
        count(nodes)?;
        let links: Vec<_> = links.into_iter().collect();
        match links.iter().find(|(from, to)| *from.max(to) >= nodes) {
            Some((from, to)) => {
                let remedy = missing(*from.max(to) as u64, nodes);
                Err(Error::value("links", format!("{from} -> {to}"), remedy))
            }
            None => Ok(Self::of(nodes, links)),
        }
    }

    /// `n` nodes without links.
    ///
    /// ```
    /// # use dpsda::network::Graph;
    /// assert_eq!(Graph::empty(3).links().count(), 0);
    /// ```
    pub fn empty(n: usize) -> Self {
        Self { out: vec![Vec::new(); n] }
    }

    /// The same as [`Graph::new`] for links that are known to be right, as in [`Topology::graph`], which has no errors. A link
    /// to or from a node that does not exist is dropped; use [`Graph::new`] to be told of it.
    ///
    /// ```
    /// # use dpsda::network::Graph;
    /// let graph = Graph::of(2, [(0, 1), (1, 2), (7, 0)]);
    /// assert_eq!(graph.links().collect::<Vec<_>>(), [(0, 1)]);
    /// ```
    ///
    /// [`Topology::graph`]: super::Topology::graph
    pub fn of(n: usize, links: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut graph = Self::empty(n);
        for (from, to) in links {
            if from != to && from < n && to < n {
                graph.out[from].push(to);
            }
        }
        for row in &mut graph.out {
            row.sort_unstable();
            row.dedup();
        }
        graph
    }

    /// How many nodes.
    pub fn nodes(&self) -> usize {
        self.out.len()
    }

    /// The nodes that hear node `i`, in order, without `i`; none if there is no node `i`.
    pub fn out(&self, i: usize) -> &[usize] {
        self.out.get(i).map_or(&[], Vec::as_slice)
    }

    /// `N_in` of every node: the nodes it hears, in order, itself included.
    pub fn heard(&self) -> Vec<Vec<usize>> {
        let mut heard: Vec<Vec<usize>> = vec![Vec::new(); self.nodes()];
        for (from, row) in self.out.iter().enumerate() {
            heard[from].push(from);
            for to in row {
                heard[*to].push(from);
            }
        }
        heard
    }

    /// Every link `(sender, receiver)`, in order.
    pub fn links(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.out.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |j| (i, *j)))
    }

    /// The same links in both directions.
    pub fn undirected(&self) -> Self {
        Self::of(self.nodes(), self.links().flat_map(|(i, j)| [(i, j), (j, i)]))
    }

    /// Only the links for which `keep(sender, receiver)` is true.
    ///
    /// ```
    /// use dpsda::network::Graph;
    /// let graph = Graph::new(3, [(0, 1), (1, 2), (2, 0)])?;
    /// assert_eq!(graph.filter(|from, to| from < to), Graph::new(3, [(0, 1), (1, 2)])?);
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn filter(&self, keep: impl Fn(usize, usize) -> bool) -> Self {
        Self::of(self.nodes(), self.links().filter(|(i, j)| keep(*i, *j)))
    }

    /// The degrees of every node.
    pub fn degrees(&self) -> Vec<Degree> {
        let mut degrees: Vec<_> = self
            .out
            .iter()
            .enumerate()
            .map(|(node, row)| Degree { node, heard: 1, told: 1 + row.len() })
            .collect();
        for (_, to) in self.links() {
            degrees[to].heard += 1;
        }
        degrees
    }
}

/// The number of nodes, if it is a possible one.
pub(super) fn count(nodes: usize) -> Result<usize, Error> {
    if (1..=MAX_NODES).contains(&nodes) {
        return Ok(nodes);
    }
    Err(Error::value("nodes", nodes, format!("expected 1 to {MAX_NODES} nodes")))
}

/// Why there is no such node.
pub(super) fn missing(node: u64, nodes: usize) -> String {
    format!("there is no node {node}: the {nodes} nodes are 0 to {}", nodes.saturating_sub(1))
}
