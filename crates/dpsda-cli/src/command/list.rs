//! `dpsda list`: the tables that the file format itself reads.

use std::fmt::Write as _;

use dpsda::catalog::{Key, Listing};
use dpsda_config::{KEYS, RULES};
use dpsda_data::SOURCES;
use serde_json::json;

use crate::failure::Failure;
use crate::say;

struct Family {
    name: &'static str,
    key: &'static str,
    members: Vec<(&'static str, &'static str, &'static [Key])>,
}

fn family<B>(name: &'static str, key: &'static str, table: &'static [Listing<B>]) -> Family {
    Family { name, key, members: table.iter().map(|e| (e.name, e.about, e.keys)).collect() }
}

fn families() -> Vec<Family> {
    vec![
        family("algorithms", "algorithm.name", dpsda::learner::ALGORITHMS),
        family("losses", "problem.loss", dpsda::loss::LOSSES),
        family("data", "problem.data", SOURCES),
        family("sets", "set.kind", dpsda::set::SETS),
        family("graphs", "network.graph", dpsda::network::TOPOLOGIES),
        family("outages", "network.loss.kind", dpsda::network::outage::OUTAGES),
        family("delays", "network.delay.kind", dpsda::network::delay::DELAYS),
        family("weights", "algorithm.weights", dpsda::network::weights::WEIGHTS),
        family("mechanisms", "privacy.mechanism", dpsda::privacy::mechanism::MECHANISMS),
        Family {
            name: "keys",
            key: "of every experiment",
            members: KEYS.iter().map(|k| (k.name, k.about, &[] as &[Key])).collect(),
        },
        Family {
            name: "rules",
            key: "what defaults and words mean; new files state the last of them",
            members: RULES.iter().map(|rules| (rules.name(), rules.when(), rules.about())).collect(),
        },
        Family {
            name: "node",
            key: "of [node], a host's own table",
            members: dpsda_node::config::KEYS.iter().map(|k| (k.name, k.about, &[] as &[Key])).collect(),
        },
        Family {
            name: "columns",
            key: "of summary.csv",
            members: dpsda_web::columns()
                .into_iter()
                .map(|(name, about)| (name, about, &[] as &[Key]))
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
        let keys = |keys: &[Key]| {
            keys.iter().map(|k| json!({ "name": k.name, "about": k.about })).collect::<Vec<_>>()
        };
        let member = |(name, about, own): &(&str, &str, &'static [Key])| json!({ "name": name, "about": about, "keys": keys(own) });
        let all: Vec<_> = families
            .iter()
            .map(|f| json!({ "family": f.name, "key": f.key, "members": f.members.iter().map(member).collect::<Vec<_>>() }))
            .collect();
        return Ok(say::out(&format!("{:#}", json!(all)))?);
    }
    let mut text = String::new();
    for f in families {
        let _ = writeln!(text, "{} ({})", f.name, f.key);
        let width = f.members.iter().map(|(name, ..)| name.len()).max().unwrap_or(0).max(20) + 2;
        for (name, about, keys) in f.members {
            let _ = writeln!(text, "  {name:<width$}{about}");
            for key in keys {
                let _ = writeln!(text, "  {:<width$}  {} - {}", "", key.name, key.about);
            }
        }
        text.push('\n');
    }
    Ok(say::out(text.trim_end())?)
}
