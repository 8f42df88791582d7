//! `[network]`: which node hears which, and with what weight.

use dpsda::catalog::{Listing, find};
use dpsda::learner::{ALGORITHMS, Build, Facts, Graphs, Links};
use dpsda::network::weights::{WEIGHTS, Weights};
use dpsda::network::{Context, TOPOLOGIES, delay, outage};
use dpsda::rng::Seed;
use dpsda::spec::Spec;
use dpsda::{Error, Keys};

use crate::resolver::Resolver;

/// The label of a run's network.
#[derive(Debug, Clone)]
pub struct Label {
    /// The name of the graph.
    pub graph: &'static str,
    /// Whether every round has the links of a whole period of the graph.
    pub union: bool,
    /// Networks with equal identities are the same.
    pub identity: String,
}

impl Label {
    /// The same label with the weight rule and the values of the rule's own keys: they change the certificate.
    pub(crate) fn with_weights(self, rule: Option<&str>, own: &str) -> Self {
        Self { identity: format!("{} {rule:?}{own}", self.identity), ..self }
    }
}

/// Whether an algorithm uses this key: `weights` is for algorithms that mix, `links` for algorithms that can keep running sums.
pub(crate) fn uses(facts: &Facts, key: &str) -> bool {
    match key {
        "weights" => facts.mixes.is_some(),
        "links" => facts.keeps_books(),
        _ => true,
    }
}

/// The algorithms that use this key.
pub(crate) fn users(key: &str) -> impl Iterator<Item = &'static str> {
    ALGORITHMS.iter().filter(move |a| uses(&a.build.facts, key)).map(|a| a.name)
}

/// Refuses a key in an algorithm's own table that the algorithm does not use.
pub(crate) fn idle(own: &Keys<'_>, algorithm: &Listing<Build>) -> Result<(), Error> {
    let name = algorithm.name;
    for (key, why) in [("weights", "uses no weight rule"), ("links", "keeps no running sums of its links")] {
        if own.holds(key) && !uses(&algorithm.build.facts, key) {
            let users = users(key).collect::<Vec<_>>().join(", ");
            return Err(
                own.bad(key, format!("{name} {why}, so this does nothing (remove it; it is for {users})"))
            );
        }
    }
    Ok(())
}

/// Adds the network of `[network]` to the specification.
pub(crate) fn read(
    mut spec: Spec,
    keys: &Keys<'_>,
    algorithm: &'static Listing<Build>,
    nodes: usize,
    seed: Seed,
    resolver: &dyn Resolver,
) -> Result<(Spec, Label), Error> {
    let facts = &algorithm.build.facts;
    let directed = keys.bool("directed")?.unwrap_or(true) && facts.graphs != Graphs::Undirected;
    let name =
        keys.str("graph")?.ok_or_else(|| keys.bad("graph", "name a graph, e.g. \"ring\" (`dpsda list`)"))?;
    let graph = find(TOPOLOGIES, &keys.name("graph"), name)?;
    let context = Context { nodes, seed, read: &|path| resolver.read(path) };
    spec = spec.graph((graph.build)(keys, &context)?);
    if !directed {
        spec = spec.undirected();
    }
    if let Some(loss) = keys.table("loss")? {
        let (outage, known) = outage::read(loss, seed)?;
        spec = if known { spec.outage(outage) } else { spec.loss(outage) };
    }
    if let Some(table) = keys.table("delay")? {
        spec = spec.delay(delay::read(table, seed)?);
    }
    let union = facts.graphs == Graphs::Union;
    let identity = format!("{keys:?} {nodes} {} {directed} {union}", seed.seed);
    Ok((spec, Label { graph: graph.name, union, identity }))
}

/// The weight rule named in `keys`.
pub(crate) fn weights(keys: &Keys<'_>) -> Result<Box<dyn Weights>, Error> {
    let rule = find(WEIGHTS, &keys.name("weights"), keys.str("weights")?.unwrap_or_default())?;
    (rule.build)(keys)
}

/// The keys that belong to the weight rule named in `keys`.
pub(crate) fn rule_keys(keys: &Keys<'_>) -> impl Iterator<Item = &'static str> {
    let named = keys.str("weights").ok().flatten();
    let rule = WEIGHTS.iter().find(|rule| Some(rule.name) == named);
    rule.into_iter().flat_map(|rule| rule.keys).map(|key| key.name)
}

/// The values of these keys: rules of the same name may differ in them.
pub(crate) fn rule_values(keys: &Keys<'_>) -> String {
    rule_keys(keys).map(|key| format!(" {key} = {:?}", keys.raw(key))).collect()
}

/// How links are accounted for: the key `links`.
pub(crate) fn links(keys: &Keys<'_>) -> Result<Links, Error> {
    keys.choice("links", &[("running-sums", Links::RunningSums), ("naive", Links::Naive)])
}
