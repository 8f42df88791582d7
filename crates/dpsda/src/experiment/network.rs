//! `[network]`: who hears whom, and how much.

use std::sync::Arc;

use super::{World, baseline};
use crate::catalog::{Entry, find};
use crate::learner::{Algorithm, Mixes, Network};
use crate::network::certificate::{self, Certificate};
use crate::network::view::{Faulty, Undirected};
use crate::network::weights::{self, WEIGHTS, Weights};
use crate::network::{Context, TOPOLOGIES, Topology, outage};
use crate::rng::Seed;
use crate::{Error, Keys};

/// Links times nodes times rounds that a certificate looks at.
const WORK: u64 = 2_000_000_000;

/// The network of a cell.
pub struct Net {
    /// Who hears whom.
    pub topology: Arc<dyn Topology>,
    /// The name of the graph.
    pub graph: &'static str,
    /// Whether every round has the links of a whole period of it.
    pub union: bool,
    /// Whether links have directions.
    pub directed: bool,
    /// How much a node listens to whom, for algorithms that mix.
    pub weights: Option<Arc<dyn Weights>>,
    /// The name of the weight rule.
    pub weights_name: Option<&'static str>,
    /// Networks with equal identities are the same.
    pub identity: String,
}

impl Net {
    /// What can be said of this network over so many rounds, or over as many of them as a few seconds allow: see
    /// [`Certificate::rounds`].
    pub fn certificate(&self, rounds: u64) -> Certificate {
        let links = (0..rounds.min(8)).map(|t| self.topology.graph(t).links().count()).max().unwrap_or(0);
        let work = (links as u64).saturating_mul(self.topology.nodes() as u64).saturating_add(1000);
        let rounds = rounds.min((WORK / work).max(3));
        let found = certificate::certify(&*self.topology, self.weights.as_deref(), self.directed, rounds);
        match self.weights_name {
            Some(name) => found.named(name),
            None => found,
        }
    }
}

pub(super) fn read(
    keys: &Keys<'_>,
    weights_key: Option<&Keys<'_>>,
    algorithm: &'static Entry<Algorithm>,
    nodes: usize,
    seed: u64,
    world: &dyn World,
) -> Result<Net, Error> {
    let kind = &algorithm.build;
    let directed = keys.bool("directed")?.unwrap_or(true) && kind.network != Network::Undirected;
    let name =
        keys.str("graph")?.ok_or_else(|| keys.bad("graph", "name a graph, e.g. \"ring\" (`dpsda list`)"))?;
    let graph = find(TOPOLOGIES, &keys.name("graph"), name)?;
    let context = Context { nodes, directed, seed, read: &|path| world.read(path) };
    let mut topology = (graph.build)(keys, &context)?;
    let union = kind.network == Network::Union;
    if union {
        topology = baseline::union(keys, algorithm.name, &*topology, directed)?;
    }
    if !directed {
        topology = Box::new(Undirected::new(topology));
    }
    if let Some(loss) = keys.table("loss")? {
        let outage = outage::read(loss, Seed { seed, trial: 0 })?;
        topology = Box::new(Faulty::new(topology, outage, directed));
    }
    if keys.holds("delay") {
        return Err(keys.bad("delay", "delayed messages cannot be simulated yet (remove the key)"));
    }
    let weights = read_weights(weights_key, algorithm)?;
    Ok(Net {
        topology: topology.into(),
        graph: graph.name,
        union,
        directed,
        weights_name: weights.map(|w| w.name),
        weights: weights.map(|w| (w.build)().into()),
        identity: format!("{keys:?} {nodes} {seed} {directed} {union} {:?}", weights.map(|w| w.name)),
    })
}

fn read_weights(
    keys: Option<&Keys<'_>>,
    algorithm: &'static Entry<Algorithm>,
) -> Result<Option<&'static Entry<weights::Build>>, Error> {
    let Some(mixes) = algorithm.build.mixes else { return Ok(None) };
    let default = mixes.default_rule();
    let Some(keys) = keys else { return find(WEIGHTS, "algorithm.weights", default).map(Some) };
    let found = find(WEIGHTS, &keys.name("weights"), keys.str("weights")?.unwrap_or(default))?;
    if mixes.accepts(&*(found.build)()) {
        return Ok(Some(found));
    }
    let (needs, fit) = match mixes {
        Mixes::Rows(_) | Mixes::RowsOnly(_) => ("rows that sum to one", "row-stochastic"),
        Mixes::Both(_) => ("rows and columns that sum to one", "doubly stochastic"),
        Mixes::Columns(_) => ("columns that sum to one on every graph", "column-stochastic"),
    };
    let fitting = WEIGHTS.iter().filter(|w| mixes.accepts(&*(w.build)())).map(|w| format!("{:?}", w.name));
    let fitting = fitting.collect::<Vec<_>>().join(" or ");
    let name = algorithm.name;
    Err(keys.bad("weights", format!("{name} needs {needs}, and these are not {fit} (use {fitting})")))
}
