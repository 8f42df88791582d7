//! Building any topology and weight rule for a test.

use dpsda::catalog::{Key, Listing};
use dpsda::network::weights::{self, Weights};
use dpsda::network::{Context, TOPOLOGIES, Topology, Undirected};
use dpsda::rng::Seed;
use dpsda::{Error, Keys, catalog};

pub(crate) const TRACE: &str = "round,from,to\n0,0,1\n0,1,2\n2,2,0\n5,3,4\n5,4,3\n1,6,5\n";

/// `graph` with `keys` in TOML over `nodes`, files holding `text`; and the keys it asked for.
pub(crate) fn try_build(
    graph: &str,
    keys: &str,
    nodes: usize,
    directed: bool,
    text: &str,
) -> Result<(Box<dyn Topology>, Vec<String>), Error> {
    let table = dpsda_config::table(keys).unwrap();
    let keys = Keys::new("network", &table);
    let context = Context { nodes, seed: Seed::new(5), read: &|_| Ok(text.to_owned()) };
    let topology = (catalog::find(TOPOLOGIES, "network.graph", graph)?.build)(&keys, &context)?;
    let asked = keys.asked();
    let topology = if directed { topology } else { Box::new(Undirected::new(topology)) };
    keys.finish().map(|()| (topology, asked))
}

pub(crate) fn build(graph: &str, keys: &str, nodes: usize, directed: bool) -> Box<dyn Topology> {
    try_build(graph, keys, nodes, directed, TRACE).unwrap_or_else(|e| panic!("{e}")).0
}

pub(crate) fn error(graph: &str, keys: &str, nodes: usize, text: &str) -> String {
    try_build(graph, keys, nodes, true, text).err().unwrap().to_string()
}

pub(crate) fn weights(name: &str) -> Box<dyn Weights> {
    weights::named(name).unwrap()
}

/// What a member cannot do without.
pub(crate) fn needed(name: &str) -> &'static str {
    match name {
        "file" => "path = 'graph.csv'",
        _ => "",
    }
}

pub(crate) fn each_topology(mut claim: impl FnMut(&str, bool, &dyn Topology)) {
    for entry in TOPOLOGIES {
        for directed in [true, false] {
            claim(entry.name, directed, &*build(entry.name, needed(entry.name), 7, directed));
        }
    }
}

pub(crate) fn names(keys: &[Key]) -> Vec<&str> {
    keys.iter().map(|k| k.name).collect()
}

pub(crate) fn has_words<B>(entry: &Listing<B>) {
    assert!(!entry.about.is_empty() && entry.keys.iter().all(|k| !k.about.is_empty()), "{}", entry.name);
}
