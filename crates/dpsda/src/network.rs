//! Who hears whom: graphs that change from round to round (section 2.1).

use std::fmt;

use crate::family;
use crate::{Error, Keys};

pub mod certificate;
pub mod cycle;
pub mod delay;
pub mod outage;
pub mod transit;
pub mod view;
pub mod weights;

/// The links of one round. Every node also hears itself; that link is never listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    out: Vec<Vec<usize>>,
}

/// A node and how many it hears and how many hear it in a round, itself counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Degree {
    /// The node.
    pub node: usize,
    /// `|N_in|`.
    pub heard: usize,
    /// `|N_out|`.
    pub told: usize,
}

impl Graph {
    /// `n` nodes and no link.
    pub fn empty(n: usize) -> Self {
        Self { out: vec![Vec::new(); n] }
    }

    /// `n` nodes and the links `sender -> receiver`; self-loops and repetitions are dropped.
    pub fn of(n: usize, links: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut graph = Self::empty(n);
        for (from, to) in links {
            if from != to {
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

    /// Who hears node `i`, in order, without `i`.
    pub fn out(&self, i: usize) -> &[usize] {
        &self.out[i]
    }

    /// Whom each node hears, in order, itself included: `N_in` of every node.
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

    /// The same links without direction.
    pub fn undirected(&self) -> Self {
        Self::of(self.nodes(), self.links().flat_map(|(i, j)| [(i, j), (j, i)]))
    }

    /// The links for which `keep` holds.
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

/// A sequence of graphs: a pure function of the round.
pub trait Topology: Send + Sync {
    /// How many nodes.
    fn nodes(&self) -> usize;

    /// The graph of round `t`.
    fn graph(&self, t: u64) -> Graph;

    /// After how many rounds the sequence is known to repeat.
    fn period(&self) -> Option<u64> {
        None
    }
}

crate::catalog::pointers! { Topology {
    fn nodes(&self) -> usize;
    fn graph(&self, t: u64) -> Graph;
    fn period(&self) -> Option<u64>;
} }

/// What a topology is built from, besides its own keys.
pub struct Context<'a> {
    /// How many nodes.
    pub nodes: usize,
    /// False: the links of the topology are meant without direction.
    pub directed: bool,
    /// The seed of the run, for graphs without a `seed` of their own.
    pub seed: u64,
    /// Reads a file named in the configuration.
    pub read: &'a dyn Fn(&str) -> Result<String, Error>,
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("nodes", &self.nodes)
            .field("directed", &self.directed)
            .finish_non_exhaustive()
    }
}

/// Builds a topology from the keys of `[network]`.
pub type Build = fn(&Keys<'_>, &Context<'_>) -> Result<Box<dyn Topology>, Error>;

family! {
    /// Every topology, by the name it has in `network.graph`.
    TOPOLOGIES: Build =
        paper_fig2, ring, complete, star, grid, exponential, erdos_renyi, geometric, periodic, file
}
