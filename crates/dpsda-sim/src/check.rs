//! What is known before a run: networks and their certificates, sensitivity, the privacy that is and is not promised.

use dpsda::cost;
use dpsda::keys;
use dpsda::learner::Mixes;
use dpsda::network::certificate::Certificate;
use dpsda::spec::Network;
use dpsda_config::{Label, ProblemCosts, RunConfig};
use serde_json::{Value, json};

use crate::{Experiment, hopeless};

mod events;
mod steps;

/// How many rounds of a network are shown, and about how many links: nobody sees more in a picture.
const SHOWN: (u64, usize) = (24, 10_000);

/// A network that one or more runs use.
pub struct SharedNetwork {
    /// In words.
    pub name: String,
    /// How many nodes.
    pub nodes: usize,
    /// Whether links have directions.
    pub directed: bool,
    /// The links of the first rounds.
    pub rounds: Vec<Vec<(usize, usize)>>,
    /// Its period in rounds, if it has one.
    pub period: Option<u64>,
    /// The certificate over all rounds, or over the first ones of a large network.
    pub certificate: Certificate,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// Everything that is known before a run.
pub struct Check {
    /// The distinct networks.
    pub networks: Vec<SharedNetwork>,
    /// The network of each run, by its index.
    pub of_run: Vec<Option<usize>>,
    /// What an event is in each run: sentences. None if nothing bounds an event.
    pub events: Vec<Vec<String>>,
    /// What the steps of each run rest on, where they are automatic.
    pub steps: Vec<Option<String>>,
    /// Each run's privacy statement.
    pub privacy: Vec<Vec<String>>,
    /// Warnings about privacy plans and single runs.
    plans: Vec<String>,
}

impl Check {
    /// Checks every run.
    pub fn new(experiment: &Experiment) -> Self {
        let mut check = Self {
            networks: Vec::new(),
            of_run: Vec::new(),
            events: Vec::new(),
            steps: Vec::new(),
            privacy: Vec::new(),
            plans: Vec::new(),
        };
        let mut known: Vec<(String, u64)> = Vec::new();
        for (c, config) in experiment.runs.iter().enumerate() {
            let rounds = experiment.rounds(c);
            check.events.push(events::sentences(config));
            check.steps.push(steps::sentence(config));
            check.privacy.push(config.spec.plan().statement());
            check.plans.extend(
                config.spec.plan().warnings().into_iter().map(|warning| format!("privacy.{warning}")),
            );
            check.plans.extend(config.warnings.iter().cloned());
            check.plans.extend(not_convex(experiment, c));
            let index = config.network().map(|(label, net)| {
                let identity = (label.identity.clone(), rounds);
                known.iter().position(|k| *k == identity).unwrap_or_else(|| {
                    known.push(identity);
                    check.networks.push(network(config, label, net, rounds));
                    known.len() - 1
                })
            });
            check.of_run.push(index);
        }
        check.plans.extend(hopeless::warnings(experiment));
        check
    }

    /// All warnings, each once.
    pub fn warnings(&self) -> Vec<String> {
        let networks = self.networks.iter().flat_map(|n| &n.warnings);
        networks.chain(&self.plans).cloned().fold(Vec::new(), |mut seen, warning| {
            if !seen.contains(&warning) {
                seen.push(warning);
            }
            seen
        })
    }

    /// For `manifest.json` and `check --json`: the networks.
    pub fn networks_json(&self) -> Value {
        self.networks
            .iter()
            .map(|n| {
                json!({
                    "name": n.name, "nodes": n.nodes, "directed": n.directed, "period": n.period, "rounds": n.rounds,
                    "certificate": n.certificate.lines(), "warnings": n.warnings,
                })
            })
            .collect()
    }

    /// For `manifest.json` and `check --json`: the runs.
    pub fn runs_json(&self, experiment: &Experiment) -> Value {
        let run = |(c, config): (usize, &RunConfig)| {
            let settings: serde_json::Map<String, Value> =
                config.settings.iter().map(|(key, value)| (key.clone(), json_value(value))).collect();
            let privacy = [&self.events[c][..], &self.privacy[c]].concat();
            let mut row = json!({
                "run": c, "algorithm": config.spec.algorithm().name(), "about": config.algorithm.about, "settings": settings,
                "network": self.of_run[c], "rounds": experiment.rounds(c), "event": config.event,
                "claim": config.spec.plan().claim(),
                "privacy": privacy,
            });
            if let Some(steps) = &self.steps[c] {
                row["steps"] = json!(steps);
            }
            row
        };
        experiment.runs.iter().enumerate().map(run).collect()
    }

    /// For `manifest.json` and `check --json`: the distinct data.
    pub fn data_json(&self, experiment: &Experiment) -> Value {
        let mut seen = Vec::new();
        let mut list = Vec::new();
        for (c, own) in
            experiment.runs.iter().enumerate().filter_map(|(c, config)| Some((c, config.problem.samples()?)))
        {
            let Some(source) = experiment.source(c).filter(|_| !seen.contains(&own.resolved.handle)) else {
                continue;
            };
            seen.push(own.resolved.handle);
            list.push(json!({
                "name": own.data, "samples": source.len(), "features": source.dim(), "sha256": source.sha256(),
            }));
        }
        list.extend(experiment.tables.iter().map(|(path, sha256)| {
            json!({ "name": path, "sha256": sha256, "columns": events::columns(experiment, path) })
        }));
        Value::Array(list)
    }
}

/// A warning if some costs of a model are not convex on the set, or their gradients are wrong, as far as probes find out.
fn not_convex(experiment: &Experiment, c: usize) -> Option<String> {
    let config = &experiment.runs[c];
    let ProblemCosts::Model(name, model) = &config.problem.costs else { return None };
    model.ready().ok()?;
    let found = cost::check_rounds(&*experiment.costs(c, 0), config.spec.set(), config.seed_of(0)).err()?;
    Some(format!("problem.cost = \"{name}\", {found}: regret need not fall, and no certificate holds"))
}

fn network(config: &RunConfig, label: &Label, net: &Network, rounds: u64) -> SharedNetwork {
    let none = if config.spec.style().splits_costs() { "weights of its own" } else { "no weights (relay)" };
    let direction = if net.directed { "directed" } else { "undirected" };
    let weights =
        net.weights.as_ref().map_or_else(|| none.to_owned(), |rule| format!("{} weights", rule.name()));
    let certificate = net.certificate(rounds);
    let mut warnings = match config.spec.algorithm().facts().mixes {
        Some(Mixes::RowsOnly(_)) => certificate.connectivity_warnings(),
        _ => certificate.warnings(),
    };
    if certificate.rounds < rounds {
        let seen = certificate.rounds;
        warnings.push(format!(
            "{}: a large network, certified over the first {seen} of {rounds} rounds",
            label.graph
        ));
    }
    let period = net.topology.period();
    let mut shown: Vec<Vec<(usize, usize)>> = Vec::new();
    for t in 0..period.unwrap_or(rounds).min(rounds).min(SHOWN.0) {
        let links: Vec<_> = net.topology.graph(t).links().collect();
        if !shown.is_empty() && shown.iter().map(Vec::len).sum::<usize>() + links.len() > SHOWN.1 {
            break;
        }
        shown.push(links);
    }
    SharedNetwork {
        name: format!(
            "{}{}, {direction}, {weights}",
            if label.union { "union of all rounds of " } else { "" },
            label.graph
        ),
        nodes: config.spec.blocks().nodes(),
        directed: net.directed,
        rounds: shown,
        period,
        certificate,
        warnings,
    }
}

/// A value as JSON; infinity as a string, because JSON has no number for it.
pub(crate) fn json_value(value: &keys::Value) -> Value {
    match value {
        keys::Value::String(s) => s.as_str().into(),
        keys::Value::Integer(i) => (*i).into(),
        keys::Value::Float(x) => json_number(*x),
        keys::Value::Bool(b) => (*b).into(),
        keys::Value::List(list) => list.iter().map(json_value).collect(),
        keys::Value::Table(table) => table.iter().map(|(k, v)| (k.clone(), json_value(v))).collect(),
    }
}

/// A number as JSON; infinity as `"inf"`, NaN as null.
pub(crate) fn json_number(x: f64) -> Value {
    match x {
        _ if x == f64::INFINITY => "inf".into(),
        _ if x == f64::NEG_INFINITY => "-inf".into(),
        _ => serde_json::Number::from_f64(x).map_or(Value::Null, Value::Number),
    }
}
