//! Identities: two runs of a sweep compute the same if all keys that matter to them are equal.

use std::collections::BTreeMap;

use dpsda::catalog::Listing;
use dpsda::keys::{Table, Value};
use dpsda::learner::Build;
use dpsda::privacy::Privacy;
use dpsda::spec::Checked;

/// Everything that decides what a run computes.
pub(crate) fn of_run(table: &Table, algorithm: &Listing<Build>, spec: &Checked) -> String {
    let (step, asked) = (spec.step(), spec.plan().asked());
    let mut rest = table.clone();
    for key in ["title", "algorithm", "privacy"] {
        rest.remove(key);
    }
    let mut problem = part(table, "problem");
    if problem.get("feedback").and_then(Value::as_str) != Some("two-point") {
        problem.remove("probe");
    }
    // Words are only shown.
    problem.retain(|key, _| !["agent", "round"].contains(&key.as_str()));
    rest.insert("problem".into(), Value::Table(problem));
    let mut network = part(table, "network");
    if algorithm.build.facts.style.is_central() {
        network.retain(|key, _| key == "nodes" || key == "blocks");
    }
    rest.insert("network".into(), Value::Table(network));
    let mut own = part(&part(table, "algorithm"), algorithm.name);
    let weights = own.remove("weights").or_else(|| part(table, "algorithm").remove("weights"));
    let weights = algorithm.build.facts.mixes.and(weights);
    own.retain(|key, _| algorithm.keys.iter().any(|known| known.name == key));
    let links = spec.network().map_or_else(String::new, |network| format!("{:?}", network.links));
    format!("{} {step:?} {weights:?} {own:?} {} {links}\n{rest:?}", algorithm.name, noise(asked))
}

fn noise(asked: &Privacy) -> String {
    if !asked.is_silent() {
        return format!("{asked:?}");
    }
    // Without noise, the other keys of `[privacy]` change nothing.
    let Privacy { mechanism, clip, grid, adjacency, budget, .. } = asked;
    // The clip holds the norm of the mechanism that is left out.
    format!("{mechanism:?} {:?} {clip:?} {grid:?} {adjacency:?} {budget:?}", mechanism.norm())
}

/// Everything that decides which costs are revealed and which decision is best in hindsight. `tables` are the tables read, by path,
/// with the SHA-256 of their contents.
pub(crate) fn of_problem(table: &Table, tables: &BTreeMap<String, String>) -> String {
    let network = part(table, "network");
    let blocks = (network.get("nodes"), network.get("blocks"));
    let keys = ["rounds", "trials", "seed", "set", "dynamic"];
    let parts: Vec<_> = keys.iter().map(|key| table.get(*key)).collect();
    let mut problem = part(table, "problem");
    // What nodes learn of the costs does not change the costs.
    problem
        .retain(|key, _| !["feedback", "probe", "gradient_error", "agent", "round"].contains(&key.as_str()));
    format!("{problem:?} {parts:?} {blocks:?} {tables:?}")
}

fn part(table: &Table, key: &str) -> Table {
    table.get(key).and_then(Value::as_table).cloned().unwrap_or_default()
}
