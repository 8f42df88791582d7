//! A random sequence of digraphs that repeats.

use rand::RngExt;

use super::graph::count;
use super::{Build, Context, Graph, Topology};
use crate::catalog::{Key, Listing};
use crate::rng::{Purpose, Seed};
use crate::{Error, Keys};

/// In each round of the period every node sends to `degree` others, drawn without repetition.
///
/// ```
/// use dpsda::network::{Periodic, Topology};
/// use dpsda::rng::Seed;
/// let network = Periodic::new(9, 4, 2, Seed::new(1))?;
/// assert_eq!(network.graph(3).out(0).len(), 2);
/// assert_eq!(network.graph(3), network.graph(7));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Periodic {
    nodes: usize,
    period: u64,
    degree: u64,
    seed: Seed,
}

impl Periodic {
    /// `nodes` nodes that send to `degree` others each. The graphs are drawn from `seed` and repeat after `period` rounds.
    /// A single node has degree 0.
    pub fn new(nodes: usize, period: u64, degree: usize, seed: Seed) -> Result<Self, Error> {
        let others = count(nodes)? - 1;
        if period == 0 {
            return Err(Error::value("period", period, "expected at least 1 round"));
        }
        if degree > others || degree < others.min(1) {
            let remedy = match others {
                0 => "a single node has no other to send to (its degree is 0; in a file, leave the key out)"
                    .to_owned(),
                _ if degree == 0 => format!("no node would hear another (use 1 to {others})"),
                _ => format!("with {nodes} nodes each has {others} others to send to (use at most {others})"),
            };
            return Err(Error::value("degree", degree, remedy));
        }
        Ok(Self { nodes, period, degree: degree as u64, seed })
    }

    /// `degree` of the nodes other than `i`, every such set equally likely (Floyd's sampling).
    fn peers(&self, i: u64, phase: u64) -> Vec<u64> {
        let mut rng = self.seed.stream(Purpose::Graph, i, phase);
        let others = self.nodes as u64 - 1;
        let mut peers = Vec::new();
        for last in others - self.degree..others {
            let drawn = rng.random_range(0..=last);
            peers.push(if peers.contains(&drawn) { last } else { drawn });
        }
        peers.into_iter().map(|p| p + u64::from(p >= i)).collect() // numbers among the others become node numbers
    }
}

impl Topology for Periodic {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn graph(&self, t: u64) -> Graph {
        let phase = t % self.period;
        let links = (0..self.nodes)
            .flat_map(|i| self.peers(i as u64, phase).into_iter().map(move |j| (i, j as usize)));
        Graph::of(self.nodes, links)
    }

    fn period(&self) -> Option<u64> {
        Some(self.period)
    }
}

fn build(keys: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let period = keys.count("period", 1)?.unwrap_or(4);
    let usual = context.nodes.saturating_sub(1).min(2);
    let degree = keys.count("degree", 1)?.map_or(usual, |d| usize::try_from(d).unwrap_or(usize::MAX));
    let seed = context.seed(keys)?;
    Ok(Box::new(Periodic::new(context.nodes, period, degree, seed).map_err(|error| keys.locate(error))?))
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "periodic",
    about: "a random sequence of digraphs that repeats: every node sends to `degree` others per round",
    keys: &[
        Key { name: "period", about: "rounds until the graphs repeat, at least 1; default 4" },
        Key {
            name: "degree",
            about: "how many others every node sends to, 1 to n-1; default 2 (fewer if n < 3)",
        },
        Key { name: "seed", about: "seed of the graphs, a whole number; default the seed of the run" },
    ],
    build,
};
