//! The network: which node hears which, in graphs that change from round to round (section 2.1).
//!
//! A [`Topology`] gives the [`Graph`] of every round. [`weights`] say how much a node listens to each node it hears.
//! [`outage`]s remove links. A [`Transit`] loses or delays messages. A [`certificate`] measures the properties that the
//! paper's lemmas need.
//!
//! | topology | |
//! |---|---|
//! | [`PaperFig2`] | the four digraphs of the paper's experiments |
//! | [`Ring`], [`Complete`], [`Star`], [`GridNetwork`] | the same links in every round |
//! | [`Exponential`] | one message per node and round, all nodes reached in `log2 n` rounds |
//! | [`ErdosRenyi`], [`Geometric`], [`Periodic`] | random graphs |
//! | [`EdgeList`] | a recorded trace |
//! | [`Graph`], [`Cycle`], [`Varying`] | graphs of your own: one for all rounds, a list that repeats, a function of the round |
//! | [`Undirected`], [`Faulty`] | any other topology, made undirected or with links that fail |
//!
//! # A topology of your own
//!
//! A closure is enough ([`Varying`]); a type can say more.
//!
//! ```
//! use dpsda::network::{Graph, Topology};
//!
//! /// In round `t` node `t mod n` sends to all others.
//! struct Speaker {
//!     nodes: usize,
//! }
//!
//! impl Topology for Speaker {
//!     fn nodes(&self) -> usize {
//!         self.nodes
//!     }
//!
//!     fn graph(&self, t: u64) -> Graph {
//!         let speaker = (t % self.nodes as u64) as usize;
//!         Graph::of(self.nodes, (0..self.nodes).map(|i| (speaker, i)))
//!     }
//!
//!     fn period(&self) -> Option<u64> {
//!         Some(self.nodes as u64)
//!     }
//! }
//!
//! let graph = Speaker { nodes: 3 }.graph(4);
//! assert_eq!(graph, Graph::new(3, [(1, 0), (1, 2)])?);
//! # Ok::<(), dpsda::Error>(())
//! ```

use std::fmt;

use crate::catalog::pointers;
use crate::family;
use crate::{Error, Keys};

pub mod certificate;
pub mod cycle;
pub mod delay;
mod fixed;
mod graph;
pub mod outage;
pub mod transit;
mod varying;
pub mod view;
pub mod weights;

pub use complete::Complete;
pub use cycle::Cycle;
pub use edge_list::EdgeList;
pub use erdos_renyi::ErdosRenyi;
pub use exponential::Exponential;
pub use geometric::Geometric;
pub use graph::{Degree, Graph, MAX_NODES};
pub use grid::GridNetwork;
pub use paper_fig2::PaperFig2;
pub use periodic::Periodic;
pub use ring::Ring;
pub use star::Star;
pub use transit::Transit;
pub use varying::Varying;
pub use view::{Faulty, Undirected};

/// A sequence of graphs: a pure function of the round.
///
/// A `Box` or an `Arc` of a topology is a topology too.
///
/// ```
/// use dpsda::network::{Complete, Exponential, Ring, Topology};
/// /// The rounds after which all nodes have heard of node 0, directly or from others.
/// fn spread(topology: &dyn Topology) -> u64 {
///     let mut heard = vec![0];
///     (0..).find(|&t| {
///         let new: Vec<usize> = topology.graph(t).links().filter(|(i, _)| heard.contains(i)).map(|(_, j)| j).collect();
///         heard.extend(new);
///         (0..topology.nodes()).all(|i| heard.contains(&i))
///     }).map_or(0, |t| t + 1)
/// }
/// assert_eq!([spread(&Ring::new(8)?), spread(&Exponential::new(8)?), spread(&Complete::new(8)?)], [7, 3, 1]);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait Topology: Send + Sync {
    /// How many nodes.
    fn nodes(&self) -> usize;

    /// The graph of round `t`, over [`Topology::nodes`] nodes.
    fn graph(&self, t: u64) -> Graph;

    /// The undirected graph of round `t`: `G_1` of section 2.1. A random topology draws each pair's link once.
    fn undirected(&self, t: u64) -> Graph {
        self.graph(t).undirected()
    }

    /// The number of rounds after which the graphs repeat, if they are known to.
    fn period(&self) -> Option<u64> {
        None
    }
}

pointers! { Topology {
    fn nodes(&self) -> usize;
    fn graph(&self, t: u64) -> Graph;
    fn undirected(&self, t: u64) -> Graph;
    fn period(&self) -> Option<u64>;
} }

/// What a topology is built from, apart from its own keys.
///
/// ```
/// use dpsda::Keys;
/// use dpsda::catalog::find;
/// use dpsda::network::{Context, TOPOLOGIES};
/// let context = Context { nodes: 5, seed: 1, read: &|path| Err(dpsda::Error::data(path, "there are no files")) };
/// let ring = (find(TOPOLOGIES, "network.graph", "ring")?.build)(&Keys::none(), &context)?;
/// assert_eq!(ring.nodes(), 5);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub struct Context<'a> {
    /// How many nodes.
    pub nodes: usize,
    /// The seed of the run, for graphs without a `seed` of their own.
    pub seed: u64,
    /// Reads a file named in the configuration.
    pub read: &'a dyn Fn(&str) -> Result<String, Error>,
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

/// Builds a topology from the keys of `[network]`. Every row of [`TOPOLOGIES`] has one.
pub type Build = fn(&Keys<'_>, &Context<'_>) -> Result<Box<dyn Topology>, Error>;

family! {
    /// Every topology, by the name it has in `network.graph`.
    TOPOLOGIES: Build =
        paper_fig2, ring, complete, star, grid, exponential, erdos_renyi, geometric, periodic, edge_list
}
