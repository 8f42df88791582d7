//! A new random graph in every round.

use rand::RngExt;

use super::graph::count;
use super::{Build, Context, Graph, Topology};
use crate::catalog::{Key, Listing};
use crate::rng::{Purpose, Seed};
use crate::{Error, Keys};

/// Every link exists with probability `p`, independently of other links and other rounds.
///
/// ```
/// use dpsda::network::{ErdosRenyi, Topology};
/// use dpsda::rng::Seed;
/// let network = ErdosRenyi::new(20, 0.3, Seed::new(1))?;
/// assert_ne!(network.graph(0), network.graph(1));
/// assert_eq!(network.graph(0), network.graph(0));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErdosRenyi {
    nodes: usize,
    p: f64,
    seed: Seed,
}

impl ErdosRenyi {
    /// Links between `nodes` nodes with probability `p`, drawn from `seed`.
    pub fn new(nodes: usize, p: f64, seed: Seed) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&p) {
            return Err(Error::value("p", p, "expected a probability, 0 to 1"));
        }
        Ok(Self { nodes: count(nodes)?, p, seed })
    }

    /// `2 ln(n)/n`, at most 1: twice the threshold above which most such graphs are connected.
    ///
    /// ```
    /// # use dpsda::network::ErdosRenyi;
    /// assert!((ErdosRenyi::usual_p(100) - 0.0921).abs() < 1e-4);
    /// ```
    pub fn usual_p(nodes: usize) -> f64 {
        let n = nodes.max(1) as f64;
        (2.0 * n.ln() / n).min(1.0)
    }

    /// Tosses the coins of round `t`: for node `i` one per node from `first(i)` on.
    fn toss(&self, t: u64, first: impl Fn(usize) -> usize, mut found: impl FnMut(usize, usize)) {
        for i in 0..self.nodes {
            let mut coins = self.seed.stream(Purpose::Graph, i as u64, t);
            for j in first(i)..self.nodes {
                if coins.random::<f64>() < self.p && i != j {
                    found(i, j);
                }
            }
        }
    }
}

impl Topology for ErdosRenyi {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn graph(&self, t: u64) -> Graph {
        let mut links = Vec::new();
        self.toss(t, |_| 0, |i, j| links.push((i, j)));
        Graph::of(self.nodes, links)
    }

    /// One coin per pair; the node with the smaller number tosses it.
    fn undirected(&self, t: u64) -> Graph {
        let mut links = Vec::new();
        self.toss(t, |i| i + 1, |i, j| links.extend([(i, j), (j, i)]));
        Graph::of(self.nodes, links)
    }
}

fn build(keys: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let p = keys.f64("p")?.unwrap_or_else(|| ErdosRenyi::usual_p(context.nodes));
    let seed = context.seed(keys)?;
    Ok(Box::new(ErdosRenyi::new(context.nodes, p, seed).map_err(|error| keys.locate(error))?))
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "erdos-renyi",
    about: "every link exists with probability p, drawn anew in every round",
    keys: &[
        Key { name: "p", about: "probability of a link, 0 to 1; default 2 ln(n)/n (at most 1)" },
        Key { name: "seed", about: "seed of the graphs, a whole number; default the seed of the run" },
    ],
    build,
};
