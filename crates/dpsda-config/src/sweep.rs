//! A list in place of a single value makes the run a sweep over the product of the lists.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::{Resolver, RunConfig, SAMPLE_KEYS, value};
use dpsda::Error;
use dpsda::catalog::Listing;
use dpsda::cost::COSTS;
use dpsda::loss::LOSSES;
use dpsda::network::TOPOLOGIES;
use dpsda::network::weights::WEIGHTS;
use dpsda::privacy::mechanism::MECHANISMS;
use dpsda::set::SETS;

/// Keys that hold lists by nature; they are swept by a list of lists.
const LISTS: [&str; 11] =
    ["record", "blocks", "lower", "upper", "each", "sizes", "signals", "agents", "gains", "start", "columns"];

/// The table of one host's own keys.
const NODE: &str = "node";

/// Parses a file and applies `key=value` overrides. A table `[node]` is not part of an experiment.
pub fn parse(text: &str, overrides: &[String]) -> Result<Table, Error> {
    let mut table = value::parse(text)?;
    table.remove(NODE); // about a host, not about the experiment
    for setting in overrides {
        let Some((key, value)) = setting.split_once('=').filter(|(key, _)| !key.trim().is_empty()) else {
            return Err(Error::data(
                format!("-s {setting}"),
                "expected key=value, e.g. -s algorithm.step=0.3",
            ));
        };
        // A TOML value, or else a bare word: `-s algorithm.name=dpsda-r`.
        let parsed = format!("v = {value}").parse::<Table>().ok().and_then(|mut t| t.remove("v"));
        set(&mut table, key.trim(), parsed.unwrap_or_else(|| Value::String(value.trim().to_owned())))?;
    }
    Ok(table)
}

fn set(table: &mut Table, key: &str, value: Value) -> Result<(), Error> {
    match key.split_once('.') {
        None => {
            table.insert(key.to_owned(), value);
            Ok(())
        }
        Some((head, rest)) => {
            let inner = table.entry(head).or_insert_with(|| Value::Table(Table::new()));
            let Some(inner) = inner.as_table_mut() else {
                return Err(Error::data(format!("-s {key}"), format!("`{head}` is a value, not a table")));
            };
            set(inner, rest, value)
        }
    }
}

/// All runs of the sweep, in the order of the sorted keys. Runs that would compute the same appear once.
pub fn runs(table: &Table, resolver: &dyn Resolver) -> Result<Vec<RunConfig>, Error> {
    let mut swept = Vec::new();
    find_lists(table, "", &mut swept);
    for (key, values) in &swept {
        if values.is_empty() {
            return Err(Error::value(
                key,
                "[]",
                "an empty list sweeps over nothing (give at least one value)",
            ));
        }
    }
    let short_form = table.get("network").and_then(|n| n.get("weights"));
    if let Some(weights) =
        short_form.filter(|_| swept.iter().any(|(key, values)| key == "algorithm.name" && values.len() > 1))
    {
        let remedy = "with several algorithms, say which one has these weights (use e.g. [algorithm.dpsda-c] weights = ...)";
        return Err(Error::value("network.weights", weights, remedy));
    }
    let total = swept
        .iter()
        .try_fold(1_usize, |n, (_, values)| n.checked_mul(values.len()).filter(|n| *n <= 100_000));
    let Some(total) = total else {
        let keys: Vec<_> = swept.iter().map(|(key, _)| key.as_str()).collect();
        return Err(Error::value(
            keys.join(" x "),
            "lists",
            "the product of the lists has more than 100,000 runs",
        ));
    };
    let mut runs: Vec<RunConfig> = Vec::new();
    let mut asked = BTreeSet::new();
    let mut unknown = Vec::new();
    for index in 0..total {
        let mut single = table.clone();
        let mut settings = Vec::new();
        let mut rest = index;
        for (key, values) in swept.iter().rev() {
            let value = values[rest % values.len()].clone();
            rest /= values.len();
            set(&mut single, key, value.clone())?;
            settings.push((key.clone(), value::value(key, &value)?));
        }
        settings.reverse();
        let (mut run, read) = RunConfig::read(&single, resolver)?;
        run.settings = settings;
        asked.extend(read.asked);
        unknown.extend(read.unknown);
        match runs.iter_mut().find(|c| c.identity == run.identity) {
            // A key in which equal runs differ does not matter to them.
            Some(same) => same.settings.retain(|setting| run.settings.contains(setting)),
            None => runs.push(run),
        }
    }
    // A key is unknown if no run asks for it: in a sweep over graphs, `p` is fine if one of them has a `p`.
    let stray =
        unknown.into_iter().find(|e| !matches!(e, Error::UnknownKey { key, .. } if asked.contains(key)));
    stray.map_or(Ok(runs), |error| Err(owned_elsewhere(error)))
}

/// Names the members of the family that read this key, if there are any.
fn owned_elsewhere(error: Error) -> Error {
    let Error::UnknownKey { key, known } = &error else { return error };
    fn owners<B>(table: &[Listing<B>], named: &str, key: &str) -> Vec<String> {
        let reads = table.iter().filter(|e| e.keys.iter().any(|k| k.name == key));
        reads.map(|e| format!("{named} = {:?}", e.name)).collect()
    }
    let owners = match key.split_once('.') {
        Some(("set", own)) => owners(SETS, "set.kind", own),
        Some(("algorithm" | "network", own @ ("weights" | "links"))) => {
            crate::network::users(own).map(|name| format!("algorithm.name = {name:?}")).collect()
        }
        Some(("privacy", own)) => owners(MECHANISMS, "privacy.mechanism", own),
        Some(("algorithm", own)) => owners(WEIGHTS, "algorithm.weights", own),
        Some(("network", own)) => owners(TOPOLOGIES, "network.graph", own),
        Some(("problem", own)) if SAMPLE_KEYS.contains(&own) => vec!["problem.cost = \"samples\"".into()],
        Some(("problem", own)) => {
            [owners(LOSSES, "problem.loss", own), owners(COSTS, "problem.cost", own)].concat()
        }
        _ => Vec::new(),
    };
    if owners.is_empty() {
        error
    } else {
        Error::ForeignKey { key: key.clone(), owners: owners.join(" and "), known: known.clone() }
    }
}

fn find_lists(table: &Table, path: &str, found: &mut Vec<(String, Vec<Value>)>) {
    for (key, value) in table {
        let name = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match value {
            Value::Table(inner) => find_lists(inner, &name, found),
            // Rules cannot be swept; a list of them is refused where they are read.
            Value::Array(_) if name == "rules" => {}
            Value::Array(values) if !LISTS.contains(&key.as_str()) || values.iter().any(Value::is_array) => {
                found.push((name, values.clone()));
            }
            _ => {}
        }
    }
}
