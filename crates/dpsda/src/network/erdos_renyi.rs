//! A new random graph in every round.

use rand::RngExt;

use super::{Build, Context, Graph, Topology};
use crate::catalog::{Key, Listing};
use crate::rng::{Purpose, Seed};
use crate::{Error, Keys};

/// Every link is there with probability `p`, independently of all others and of all other rounds.
pub const LISTING: Listing<Build> = Listing {
    name: "erdos-renyi",
    about: "every link is there with probability p, drawn anew in every round",
    keys: &[
        Key { name: "p", about: "probability of a link, 0 to 1; default 2 ln(n)/n (at most 1)" },
        Key { name: "seed", about: "seed of the graphs, a whole number; default the seed of the run" },
    ],
    build,
};

struct ErdosRenyi {
    nodes: usize,
    p: f64,
    seed: Seed,
    directed: bool,
}

fn build(keys: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let n = context.nodes.max(1) as f64;
    let usual = (2.0 * n.ln() / n).min(1.0);
    let p = keys.f64_where("p", usual, "a probability, 0 to 1", |p| (0.0..=1.0).contains(&p))?;
    let seed = Seed { seed: keys.count("seed", 0)?.unwrap_or(context.seed), trial: 0 };
    Ok(Box::new(ErdosRenyi { nodes: context.nodes, p, seed, directed: context.directed }))
}

impl Topology for ErdosRenyi {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn graph(&self, t: u64) -> Graph {
        let mut links = Vec::new();
        for i in 0..self.nodes {
            let mut coins = self.seed.stream(Purpose::Graph, i as u64, t);
            // Without direction there is one coin per pair, tossed by the smaller node.
            for j in if self.directed { 0 } else { i + 1 }..self.nodes {
                if coins.random::<f64>() < self.p && i != j {
                    links.push((i, j));
                    if !self.directed {
                        links.push((j, i));
                    }
                }
            }
        }
        Graph::of(self.nodes, links)
    }
}
