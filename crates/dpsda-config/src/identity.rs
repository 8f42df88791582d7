//! When two cells of a sweep would run alike: by the keys that matter to them.

use dpsda::keys::{Table, Value};

use dpsda::catalog::Listing;
use dpsda::learner::{Algorithm, Graphs, Step};
use dpsda::privacy::plan::Wish;

/// All that decides what a run computes.
pub(crate) fn of_run(table: &Table, algorithm: &Listing<Algorithm>, step: Step, wish: &Wish) -> String {
    let mut rest = table.clone();
    for key in ["title", "algorithm", "privacy"] {
        rest.remove(key);
    }
    let mut problem = part(table, "problem");
    if problem.get("feedback").and_then(Value::as_str) != Some("two-point") {
        problem.remove("probe");
    }
    rest.insert("problem".into(), Value::Table(problem));
    let mut network = part(table, "network");
    if algorithm.build.network == Graphs::None {
        network.retain(|key, _| key == "nodes" || key == "blocks");
    }
    rest.insert("network".into(), Value::Table(network));
    let own = part(&part(table, "algorithm"), algorithm.name).remove("weights");
    let weights = own.or_else(|| part(table, "algorithm").remove("weights"));
    let weights = algorithm.build.mixes.and(weights);
    let noise = if !wish.is_silent() {
        format!("{:?} {:?} {:?} {:?} {:?}", wish.noise, wish.decide, wish.target, wish.delta, wish.arithmetic)
    } else {
        wish.mechanism.name.to_owned() // without noise, where it goes and what is decided from it is all one
    };
    format!(
        "{} {step:?} {weights:?} {} {noise} {:?} {:?} {:?} {:?}\n{rest:?}",
        algorithm.name, wish.mechanism.name, wish.clip, wish.grid, wish.adjacency, wish.budget
    )
}

/// All that decides which costs are revealed and which decision is best in hindsight.
pub(crate) fn of_problem(table: &Table) -> String {
    let network = part(table, "network");
    let blocks = (network.get("nodes"), network.get("blocks"));
    let keys = ["rounds", "trials", "seed", "set"];
    let parts: Vec<_> = keys.iter().map(|key| table.get(*key)).collect();
    let mut problem = part(table, "problem");
    // The same costs, whatever is told of them.
    problem.retain(|key, _| !["feedback", "probe", "gradient_error"].contains(&key.as_str()));
    format!("{problem:?} {parts:?} {blocks:?}")
}

fn part(table: &Table, key: &str) -> Table {
    table.get(key).and_then(Value::as_table).cloned().unwrap_or_default()
}
