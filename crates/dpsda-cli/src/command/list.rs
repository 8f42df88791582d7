//! `dpsda list`: the tables that the file format itself reads.

use std::fmt::Write as _;

use dpsda::catalog::{Key, Listing};
use dpsda::cost::samples;
use dpsda::metric::{self, Metric};
use dpsda_config::{KEYS, RULES, SAMPLE_KEYS};
use dpsda_data::SOURCES;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::say;

struct Family {
    name: &'static str,
    key: &'static str,
    members: Vec<ListedMember>,
}

struct ListedMember {
    name: &'static str,
    about: &'static str,
    keys: Vec<Key>,
    /// Further facts: name and text.
    facts: Vec<(&'static str, String)>,
}

impl ListedMember {
    fn new(name: &'static str, about: &'static str, keys: &'static [Key]) -> Self {
        Self { name, about, keys: keys.to_vec(), facts: Vec::new() }
    }
}

fn family<B>(name: &'static str, key: &'static str, table: &'static [Listing<B>]) -> Family {
    Family { name, key, members: table.iter().map(|e| ListedMember::new(e.name, e.about, e.keys)).collect() }
}

fn keys(name: &'static str, key: &'static str, table: &'static [Key]) -> Family {
    Family { name, key, members: table.iter().map(|k| ListedMember::new(k.name, k.about, &[])).collect() }
}

/// A metric, and its columns in the files of a run.
fn measured(metric: &'static Metric) -> ListedMember {
    let facts = [
        ("summary.csv", metric.column_name().unwrap_or("")),
        ("series.csv", metric.curve.as_ref().map_or("", |_| metric.name)),
        ("unit", metric.unit.words()),
        ("better", metric.better.words()),
    ];
    let facts =
        facts.into_iter().filter(|(_, fact)| !fact.is_empty()).map(|(name, fact)| (name, fact.to_owned()));
    ListedMember { facts: facts.collect(), ..ListedMember::new(metric.name, metric.note, &[]) }
}

/// The costs. The keys of samples are among those that every experiment may have.
fn costs() -> Family {
    let mut costs = family("costs", "problem.cost", dpsda::cost::COSTS);
    let own = |key: &Key| {
        let name = key.name.strip_prefix("problem.").filter(|name| SAMPLE_KEYS.contains(name))?;
        Some(Key { name, about: key.about })
    };
    for samples in costs.members.iter_mut().filter(|member| member.name == samples::LISTING.name) {
        samples.keys = KEYS.iter().filter_map(own).collect();
    }
    costs
}

fn families() -> Vec<Family> {
    vec![
        family("algorithms", "algorithm.name", dpsda::learner::ALGORITHMS),
        costs(),
        family("losses", "problem.loss", dpsda::loss::LOSSES),
        family("data", "problem.data", SOURCES),
        family("sets", "set.kind", dpsda::set::SETS),
        family("graphs", "network.graph", dpsda::network::TOPOLOGIES),
        family("outages", "network.loss.kind", dpsda::network::outage::OUTAGES),
        family("delays", "network.delay.kind", dpsda::network::delay::DELAYS),
        family("weights", "algorithm.weights", dpsda::network::weights::WEIGHTS),
        family("mechanisms", "privacy.mechanism", dpsda::privacy::mechanism::MECHANISMS),
        keys("keys", "of every experiment", KEYS),
        Family {
            name: "rules",
            key: "versions of defaults and words; new files state the last one",
            members: RULES.iter().map(|r| ListedMember::new(r.name(), r.when(), r.about())).collect(),
        },
        keys("node", "of [node], a host's own table", dpsda_node::config::KEYS),
        Family {
            name: "metrics",
            key: "measured in every run",
            members: metric::all().iter().map(measured).collect(),
        },
        Family {
            name: "columns",
            key: "of summary.csv",
            members: metric::all()
                .shown()
                .into_iter()
                .filter_map(|m| Some(ListedMember::new(m.column_name()?, m.note, &[])))
                .collect(),
        },
    ]
}

pub(crate) fn list(only: Option<&str>, as_json: bool) -> Result<(), Failure> {
    let mut families = families();
    if let Some(only) = only {
        let known: Vec<_> = families.iter().map(|f| f.name.to_owned()).collect();
        families.retain(|f| f.name == only);
        if families.is_empty() {
            return Err(dpsda::Error::UnknownName { key: "family".into(), found: only.into(), known }.into());
        }
    }
    if as_json {
        let all: Vec<_> = families
            .iter()
            .map(|f| json!({ "family": f.name, "key": f.key, "members": f.members.iter().map(member_json).collect::<Vec<_>>() }))
            .collect();
        return Ok(say::out(&format!("{:#}", json!(all)))?);
    }
    let mut text = String::new();
    for f in families {
        let _ = writeln!(text, "{} ({})", f.name, f.key);
        let width = f.members.iter().map(|member| member.name.len()).max().unwrap_or(0).max(20) + 2;
        for member in f.members {
            let _ = writeln!(text, "  {:<width$}{}", member.name, member.about);
            for key in &member.keys {
                let _ = writeln!(text, "  {:<width$}  {} - {}", "", key.name, key.about);
            }
            if !member.facts.is_empty() {
                let facts: Vec<_> =
                    member.facts.iter().map(|(name, fact)| format!("{name}: {fact}")).collect();
                let _ = writeln!(text, "  {:<width$}  {}", "", facts.join("; "));
            }
        }
        text.push('\n');
    }
    Ok(say::out(text.trim_end())?)
}

fn member_json(member: &ListedMember) -> Value {
    let keys: Vec<_> = member.keys.iter().map(|k| json!({ "name": k.name, "about": k.about })).collect();
    let mut value = json!({ "name": member.name, "about": member.about, "keys": keys });
    for (name, fact) in &member.facts {
        value[*name] = fact.as_str().into();
    }
    value
}
