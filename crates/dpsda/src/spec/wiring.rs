//! The network as an algorithm uses it: directions, outages, weights and books.

use std::sync::Arc;

use super::Spec;
use crate::Error;
use crate::keys::Keys;
use crate::learner::{ALGORITHMS, Algorithm, Facts, Graphs, Links, Mixes};
use crate::network::certificate::{self, Certificate};
use crate::network::cycle::Cycle;
use crate::network::transit::Transit;
use crate::network::view::{Faulty, Undirected};
use crate::network::weights::{self, Columns, WEIGHTS, Weights};
use crate::network::{Graph, Topology};

/// The longest period whose union of graphs is computed.
const MAX_PERIOD: u64 = 100_000;

/// The most work for a certificate: links times nodes times rounds.
const WORK: u64 = 2_000_000_000;

/// Who hears whom, how much, and what becomes of messages on their way.
///
/// ```
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(21, 7)?).set(Free).graph(PaperFig2).algorithm(Circulation).rounds(9).check()?;
/// let Some(network) = spec.network() else { unreachable!("only centralised algorithms have none") };
/// assert!(!network.directed && network.transit.is_prompt());
/// assert_eq!(network.weights.as_ref().map(|rule| rule.name()), Some("metropolis"));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone)]
pub struct Network {
    /// Who hears whom, as scheduled: weights are set from this.
    pub topology: Arc<dyn Topology>,
    /// What becomes of messages on their way.
    pub transit: Transit,
    /// How nodes that mix account for late and lost messages.
    pub links: Links,
    /// Whether links have directions.
    pub directed: bool,
    /// The mixing weights, for algorithms that mix.
    pub weights: Option<Arc<dyn Weights>>,
}

impl Network {
    /// The properties of this network over this many rounds, or over as many as a few seconds allow: see
    /// [`Certificate::rounds`].
    pub fn certificate(&self, rounds: u64) -> Certificate {
        let links = (0..rounds.min(8)).map(|t| self.topology.graph(t).links().count()).max().unwrap_or(0);
        let work = (links as u64).saturating_mul(self.topology.nodes() as u64).saturating_add(1000);
        let rounds = rounds.min((WORK / work).max(3));
        let weights = self.weights.as_deref();
        let found = certificate::certify_over(&*self.topology, &self.transit, weights, self.directed, rounds);
        match weights {
            Some(weights) => found.named(weights.name()),
            None => found,
        }
    }
}

/// The network of a specification, unless its algorithm has none.
pub(super) fn network(spec: &Spec, algorithm: &Algorithm) -> Result<Option<Network>, Error> {
    let facts = algorithm.facts();
    let Some(given) = spec.topology.clone() else {
        return match facts.style.is_central() {
            true => Ok(None),
            false => Err(Error::missing("graph", "who hears whom (e.g. .graph(dpsda::network::PaperFig2))")),
        };
    };
    let (nodes, own) = (given.nodes(), spec.blocks.nodes());
    if nodes != own {
        return Err(Error::value(
            "graph",
            format!("{nodes} nodes"),
            format!("there are {own} blocks, one per node"),
        ));
    }
    let directed = spec.directed && facts.graphs != Graphs::Undirected;
    let mut topology: Box<dyn Topology> = Box::new(given);
    if facts.graphs == Graphs::Union {
        topology = union(spec, algorithm.name(), &*topology)?;
    }
    if let Some(outage) = spec.outage.clone() {
        topology = Box::new(Faulty::new(topology, outage));
    }
    if !directed {
        topology = Box::new(Undirected::new(topology)); // a link is then one link: both its directions fail together
    }
    let transit = spec.transit.clone();
    prompt(algorithm, &transit)?;
    let weights = rule(spec, algorithm)?;
    let links = links(spec.links, facts, &transit);
    if let (Links::RunningSums, Some(weights)) = (links, &weights) {
        splits(&**weights, directed)?;
    }
    let network = Network { topology: topology.into(), transit, links, directed, weights };
    Ok(Some(network).filter(|_| !facts.style.is_central()))
}

/// The links of all rounds of a period, in every round.
fn union(spec: &Spec, name: &str, topology: &dyn Topology) -> Result<Box<dyn Topology>, Error> {
    if spec.outage.is_some() || spec.transit.lost.is_some() {
        let remedy =
            format!("{name} needs links that are always there (remove it, or use another algorithm)");
        let argument = if spec.outage.is_some() { "outage" } else { "loss" };
        return Err(Error::value(argument, "set", remedy));
    }
    let Some(period) = topology.period().filter(|period| *period <= MAX_PERIOD) else {
        let remedy = format!(
            "{name} runs on one fixed graph, the union of all rounds of a period, and this one has no period of at most \
             {MAX_PERIOD} rounds (use a graph that repeats, or another algorithm)"
        );
        return Err(Error::value("graph", "without a period", remedy));
    };
    let links = (0..period).flat_map(|t| topology.graph(t).links().collect::<Vec<_>>());
    Ok(Box::new(Cycle::fixed(Graph::of(topology.nodes(), links))))
}

/// Refuses late and silently lost messages for learners with a model per node, which cannot handle them.
fn prompt(algorithm: &Algorithm, transit: &Transit) -> Result<(), Error> {
    if !algorithm.style().splits_costs() || transit.is_prompt() {
        return Ok(());
    }
    let (name, able) = (algorithm.name(), able(|facts| !facts.style.is_central()));
    if transit.delay.is_some() {
        let late = format!("up to {} rounds", transit.longest());
        let remedy = format!("{name} has no answer to late messages (remove the delay, or use {able})");
        return Err(Error::value("delay", late, remedy));
    }
    let remedy = format!(
        "{name} has no answer to messages that vanish unnoticed (remove the loss, let both ends know of it, or use {able})"
    );
    Err(Error::value("loss", "unnoticed", remedy))
}

/// The algorithms with one decision and shared costs for which `is` holds.
pub(super) fn able(is: fn(&Facts) -> bool) -> String {
    let able = ALGORITHMS.iter().filter(|a| !a.build.facts.style.splits_costs() && is(&a.build.facts));
    able.map(|a| a.name).collect::<Vec<_>>().join(" or ")
}

/// Push-sum keeps running sums wherever messages may be late or lost, unless the user chose otherwise. Rows that sum to one need
/// none: they sum to one whatever arrives, and a block with one writer needs no more (docs/algorithms.md).
fn links(chosen: Option<Links>, facts: Facts, transit: &Transit) -> Links {
    match chosen {
        _ if !facts.keeps_books() => Links::Naive,
        Some(links) => links,
        None if matches!(facts.mixes, Some(Mixes::Columns(_))) && !transit.is_prompt() => Links::RunningSums,
        None => Links::Naive,
    }
}

/// Refuses weights by which a sender would give away more or less than it has.
fn splits(rule: &dyn Weights, directed: bool) -> Result<(), Error> {
    match rule.column_stochastic() {
        Columns::Always => Ok(()),
        Columns::Undirected if !directed => Ok(()),
        _ => {
            let remedy = "running sums split what a sender has, so columns must sum to one, and these do not (use \
                          \"metropolis\" without directions, \"push-sum\" with, or naive links)";
            Err(Error::value("weights", format!("{:?}", rule.name()), remedy))
        }
    }
}

/// The weights that were set, or the algorithm's default rule.
fn rule(spec: &Spec, algorithm: &Algorithm) -> Result<Option<Arc<dyn Weights>>, Error> {
    let Some(mixes) = algorithm.facts().mixes else { return Ok(None) };
    let Some(set) = spec.weights.clone() else {
        return Ok(Some(weights::named(mixes.default_rule())?.into()));
    };
    if mixes.accepts(&*set) {
        return Ok(Some(set));
    }
    let built = WEIGHTS.iter().filter_map(|rule| Some((rule.name, (rule.build)(&Keys::none()).ok()?)));
    let fitting = built.filter(|(_, rule)| mixes.accepts(&**rule)).map(|(name, _)| format!("{name:?}"));
    let (fitting, (needs, fit)) = (fitting.collect::<Vec<_>>().join(" or "), mixes.needs());
    let name = algorithm.name();
    let remedy = format!("{name} needs {needs}, and these are not {fit} (use {fitting})");
    Err(Error::value("weights", format!("{:?}", set.name()), remedy))
}
