//! Random digraphs that repeat.

use rand::RngExt;

use super::view::Undirected;
use super::{Build, Context, Graph, Topology};
use crate::catalog::{Key, Listing};
use crate::rng::{Purpose, Seed};
use crate::{Error, Keys};

/// In each round of the period every node sends to `degree` others, drawn without repetition.
pub const LISTING: Listing<Build> = Listing {
    name: "periodic",
    about: "a random digraph sequence with a period: every node sends to `degree` others a round",
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

struct Periodic {
    nodes: usize,
    period: u64,
    degree: u64,
    seed: Seed,
}

fn build(keys: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let others = context.nodes.saturating_sub(1) as u64;
    let period = keys.count("period", 1)?.unwrap_or(4);
    let degree = keys.count("degree", 1)?.unwrap_or(others.min(2));
    if degree > others {
        let remedy = match others {
            0 => "one node has nobody to send to (leave it out)".to_owned(),
            _ => format!(
                "with {} nodes each has {others} others to send to (use at most {others})",
                context.nodes
            ),
        };
        return Err(keys.bad("degree", remedy));
    }
    let seed = Seed { seed: keys.count("seed", 0)?.unwrap_or(context.seed), trial: 0 };
    let topology = Periodic { nodes: context.nodes, period, degree, seed };
    Ok(if context.directed { Box::new(topology) } else { Box::new(Undirected::new(Box::new(topology))) })
}

impl Periodic {
    /// `degree` of the others of node `i`, every such set equally likely (Floyd's sampling).
    fn peers(&self, i: u64, phase: u64) -> Vec<u64> {
        let mut rng = self.seed.stream(Purpose::Graph, i, phase);
        let others = self.nodes as u64 - 1;
        let mut peers = Vec::new();
        for last in others - self.degree..others {
            let drawn = rng.random_range(0..=last);
            peers.push(if peers.contains(&drawn) { last } else { drawn });
        }
        peers.into_iter().map(|p| p + u64::from(p >= i)).collect() // the others, with `i` left out
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
