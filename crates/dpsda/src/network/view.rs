//! Topologies made of other topologies.

use std::fmt;

use super::outage::Outage;
use super::{Graph, Topology};

/// Any topology with its directions dropped: `G_1` of section 2.1.
pub struct Undirected {
    inner: Box<dyn Topology>,
}

/// Any topology with some links off, as both ends know before weights are set.
pub struct Faulty {
    inner: Box<dyn Topology>,
    outage: Box<dyn Outage>,
    directed: bool,
}

impl Undirected {
    /// `inner` without directions.
    pub fn new(inner: Box<dyn Topology>) -> Self {
        Self { inner }
    }
}

impl Faulty {
    /// `inner` under `outage`. Unless `directed`, directions are dropped first and a link is one link: both its
    /// directions fail together.
    pub fn new(inner: Box<dyn Topology>, outage: Box<dyn Outage>, directed: bool) -> Self {
        Self { inner, outage, directed }
    }
}

impl Topology for Undirected {
    fn nodes(&self) -> usize {
        self.inner.nodes()
    }

    fn graph(&self, t: u64) -> Graph {
        self.inner.graph(t).undirected()
    }

    fn period(&self) -> Option<u64> {
        self.inner.period()
    }
}

impl Topology for Faulty {
    fn nodes(&self) -> usize {
        self.inner.nodes()
    }

    fn graph(&self, t: u64) -> Graph {
        let graph = self.inner.graph(t);
        if self.directed {
            graph.filter(|i, j| self.outage.up(t, i, j))
        } else {
            graph.undirected().filter(|i, j| self.outage.up(t, i.min(j), i.max(j)))
        }
    }
}

impl fmt::Debug for Undirected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Undirected").field("nodes", &self.nodes()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Faulty")
            .field("nodes", &self.nodes())
            .field("directed", &self.directed)
            .finish_non_exhaustive()
    }
}
