//! Topologies made of other topologies.

use std::fmt;

use super::outage::Outage;
use super::{Graph, Topology};

/// Any topology made undirected: `G_1` of section 2.1.
///
/// ```
/// use dpsda::network::{Ring, Topology, Undirected};
/// let ring = Undirected::new(Ring::new(4)?);
/// assert_eq!(ring.graph(0).out(0), [1, 3]);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Undirected {
    inner: Box<dyn Topology>,
}

/// Any topology with some links off. Both ends know this before they set weights. In an undirected graph both directions of a
/// link fail together.
///
/// ```
/// use dpsda::network::outage::Bernoulli;
/// use dpsda::network::{Complete, Faulty, Topology, Undirected};
/// use dpsda::rng::Seed;
/// let faulty = Faulty::new(Complete::new(6)?, Bernoulli::new(0.5, Seed::new(1))?);
/// assert!(faulty.graph(0).links().count() < 30);
/// let graph = Undirected::new(faulty).graph(0);
/// assert_eq!(graph, graph.undirected());
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Faulty {
    inner: Box<dyn Topology>,
    outage: Box<dyn Outage>,
}

impl Undirected {
    /// `inner`, made undirected.
    pub fn new(inner: impl Topology + 'static) -> Self {
        Self { inner: Box::new(inner) }
    }
}

impl Faulty {
    /// `inner`, without the links that `outage` turns off.
    pub fn new(inner: impl Topology + 'static, outage: impl Outage + 'static) -> Self {
        Self { inner: Box::new(inner), outage: Box::new(outage) }
    }
}

impl Topology for Undirected {
    fn nodes(&self) -> usize {
        self.inner.nodes()
    }

    fn graph(&self, t: u64) -> Graph {
        self.inner.undirected(t)
    }

    fn undirected(&self, t: u64) -> Graph {
        self.inner.undirected(t)
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
        self.inner.graph(t).filter(|i, j| self.outage.up(t, i, j))
    }

    fn undirected(&self, t: u64) -> Graph {
        self.inner.undirected(t).filter(|i, j| self.outage.up(t, i.min(j), i.max(j)))
    }
}

impl fmt::Debug for Undirected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Undirected").field("nodes", &self.nodes()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Faulty").field("nodes", &self.nodes()).finish_non_exhaustive()
    }
}
