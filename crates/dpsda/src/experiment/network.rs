//! `[network]`: who hears whom, and how much.

use std::sync::Arc;

use super::{World, baseline};
use crate::catalog::{Listing, find};
use crate::learner::{ALGORITHMS, Algorithm, Links, Mixes, Network};
use crate::network::certificate::{self, Certificate};
use crate::network::transit::Transit;
use crate::network::view::{Faulty, Undirected};
use crate::network::weights::{self, Columns, WEIGHTS, Weights};
use crate::network::{Context, TOPOLOGIES, Topology, delay, outage};
use crate::rng::Seed;
use crate::{Error, Keys};

/// Links times nodes times rounds that a certificate looks at.
const WORK: u64 = 2_000_000_000;

/// The network of a cell.
#[derive(Clone)]
pub struct Net {
    /// Who hears whom, as scheduled: weights are set from this.
    pub topology: Arc<dyn Topology>,
    /// What becomes of messages on their way.
    pub transit: Transit,
    /// How those who mix account for that.
    pub links: Links,
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
        let found = certificate::certify_over(
            &*self.topology,
            &self.transit,
            self.weights.as_deref(),
            self.directed,
            rounds,
        );
        match self.weights_name {
            Some(name) => found.named(name),
            None => found,
        }
    }
}

/// Whether an algorithm does anything with such a key: a rule of weights is for those who mix, `links` for those who mix duals and
/// can keep books of them.
pub(super) fn uses(kind: &Algorithm, key: &str) -> bool {
    match key {
        "weights" => kind.mixes.is_some(),
        "links" => kind.mixes.is_some() && kind.averages,
        _ => true,
    }
}

/// The algorithms that do something with such a key.
pub(super) fn users(key: &str) -> impl Iterator<Item = &'static str> {
    ALGORITHMS.iter().filter(move |a| uses(&a.build, key)).map(|a| a.name)
}

/// Refuses what stands in an algorithm's own table and would do nothing there.
pub(super) fn idle(own: &Keys<'_>, algorithm: &Listing<Algorithm>) -> Result<(), Error> {
    let name = algorithm.name;
    for (key, why) in [("weights", "takes no rule of weights"), ("links", "keeps no books of its links")] {
        if own.holds(key) && !uses(&algorithm.build, key) {
            let users = users(key).collect::<Vec<_>>().join(", ");
            return Err(
                own.bad(key, format!("{name} {why}, so this does nothing (remove it; it is for {users})"))
            );
        }
    }
    Ok(())
}

pub(super) fn read(
    keys: &Keys<'_>,
    weights_key: Option<&Keys<'_>>,
    links_key: Option<&Keys<'_>>,
    algorithm: &'static Listing<Algorithm>,
    nodes: usize,
    seed: u64,
    world: &dyn World,
) -> Result<Net, Error> {
    let kind = &algorithm.build;
    let directed = keys.bool("directed")?.unwrap_or(true) && kind.network != Network::Undirected;
    let name =
        keys.str("graph")?.ok_or_else(|| keys.bad("graph", "name a graph, e.g. \"ring\" (`dpsda list`)"))?;
    let graph = find(TOPOLOGIES, &keys.name("graph"), name)?;
    let context = Context { nodes, seed, read: &|path| world.read(path) };
    let mut topology = (graph.build)(keys, &context)?;
    let union = kind.network == Network::Union;
    if union {
        topology = baseline::union(keys, algorithm.name, &*topology)?;
    }
    let mut transit = Transit::default();
    if let Some(loss) = keys.table("loss")? {
        let (outage, known) = outage::read(loss, Seed::new(seed))?;
        if known {
            topology = Box::new(Faulty::new(topology, outage));
        } else {
            transit.lost = Some(outage.into());
        }
    }
    if !directed {
        topology = Box::new(Undirected::new(topology));
    }
    if let Some(table) = keys.table("delay")? {
        transit.delay = Some(delay::read(table, Seed::new(seed))?.into());
    }
    baseline::prompt(keys, algorithm, &transit)?;
    let weights = read_weights(weights_key, algorithm)?;
    let links = read_links(links_key, algorithm, &transit)?;
    if let (Links::RunningSums, Some((name, rule))) = (links, &weights) {
        splits(name, &**rule, directed)?;
    }
    let weights_name = weights.as_ref().map(|(name, _)| *name);
    Ok(Net {
        topology: topology.into(),
        transit,
        links,
        graph: graph.name,
        union,
        directed,
        weights_name,
        weights: weights.map(|(_, rule)| rule.into()),
        identity: format!("{keys:?} {nodes} {seed} {directed} {union} {weights_name:?}"),
    })
}

/// Push-sum keeps running sums wherever messages may be late or lost, unless a user wants to see what happens without. Rows
/// that sum to one do so whatever arrives, which is all that a block with one writer needs (docs/algorithms.md).
fn read_links(
    keys: Option<&Keys<'_>>,
    algorithm: &'static Listing<Algorithm>,
    transit: &Transit,
) -> Result<Links, Error> {
    let named = [("running-sums", Links::RunningSums), ("naive", Links::Naive)];
    let chosen = keys.map(|keys| keys.choice("links", &named)).transpose()?;
    Ok(match chosen {
        _ if !uses(&algorithm.build, "links") => Links::Naive,
        Some(links) => links,
        None if matches!(algorithm.build.mixes, Some(Mixes::Columns(_))) && !transit.is_prompt() => {
            Links::RunningSums
        }
        None => Links::Naive,
    })
}

/// Whether senders have nothing left over and nothing too little when they give shares by these weights.
fn splits(name: &str, rule: &dyn Weights, directed: bool) -> Result<(), Error> {
    match rule.column_stochastic() {
        Columns::Always => Ok(()),
        Columns::Undirected if !directed => Ok(()),
        _ => {
            let remedy = "running sums split what a sender has, so columns must sum to one, and these do not (use \
                          \"metropolis\" without directions, \"push-sum\" with, or algorithm.links = \"naive\")";
            Err(Error::value("algorithm.weights", format!("{name:?}"), remedy))
        }
    }
}

fn read_weights(
    keys: Option<&Keys<'_>>,
    algorithm: &'static Listing<Algorithm>,
) -> Result<Option<(&'static str, Box<dyn Weights>)>, Error> {
    let Some(mixes) = algorithm.build.mixes else { return Ok(None) };
    let default = mixes.default_rule();
    let Some(keys) = keys else { return Ok(Some((default, weights::named(default)?))) };
    let found = find(WEIGHTS, &keys.name("weights"), keys.str("weights")?.unwrap_or(default))?;
    let rule = (found.build)(keys)?;
    if mixes.accepts(&*rule) {
        return Ok(Some((found.name, rule)));
    }
    let (needs, fit) = match mixes {
        Mixes::Rows(_) | Mixes::RowsOnly(_) => ("rows that sum to one", "row-stochastic"),
        Mixes::Both(_) => ("rows and columns that sum to one", "doubly stochastic"),
        Mixes::Columns(_) => ("columns that sum to one on every graph", "column-stochastic"),
    };
    let fits = |name| weights::named(name).is_ok_and(|rule| mixes.accepts(&*rule));
    let fitting = WEIGHTS.iter().filter(|w| fits(w.name)).map(|w| format!("{:?}", w.name));
    let fitting = fitting.collect::<Vec<_>>().join(" or ");
    let name = algorithm.name;
    Err(keys.bad("weights", format!("{name} needs {needs}, and these are not {fit} (use {fitting})")))
}
