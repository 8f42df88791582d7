//! One run of a sweep: everything it needs except the data.

use dpsda::catalog::{Listing, find};
use dpsda::keys::{Table, Value};
use dpsda::learner::{ALGORITHMS, Build, Noises};
use dpsda::rng::Seed;
use dpsda::set;
use dpsda::spec::{Checked, Network, Spec};
use dpsda::{Error, Keys};

use crate::dynamic::{self, Dynamic};
use crate::network::Label;
use crate::problem::Problem;
use crate::resolver::{Resolver, RunTables};
use crate::rules::Rules;
use crate::split::Split;
use crate::value::neutral;
use crate::{baseline, blocks, identity, network, privacy, problem, step};

/// The keys that may stand in the table of one algorithm, e.g. `[algorithm.dpsda-c]`.
const OWN_KEYS: [&str; 5] = ["weights", "step", "steps", "links", "mechanism"];

/// The words that `record` may hold.
const RECORDS: [&str; 2] = ["decisions", "bounds"];

/// The keys that reading a run asked for, and the keys that it did not know.
pub struct KeysRead {
    /// The dotted keys asked for.
    pub asked: Vec<String>,
    /// One error for every other key.
    pub unknown: Vec<Error>,
}

/// One run of a sweep: everything it needs except the data.
#[derive(Clone)]
pub struct RunConfig {
    /// The swept keys of this run and their values.
    pub settings: Vec<(String, Value)>,
    /// The rules that give defaults and words their meaning.
    pub rules: Rules,
    /// The experiment's title.
    pub title: String,
    /// Samples to learn from, samples held out, and rounds.
    pub split: Split,
    /// Independent repetitions.
    pub trials: u32,
    /// The seed of all randomness.
    pub seed: u64,
    /// Whether decisions are recorded.
    pub record_decisions: bool,
    /// The sequence of decisions that dynamic regret is measured against, if one is asked for.
    pub dynamic: Option<Dynamic>,
    /// Whether bounds are recorded, beside the values that they bound.
    pub record_bounds: bool,
    /// The cost of a round.
    pub problem: Problem,
    /// The algorithm's row in the table.
    pub algorithm: &'static Listing<Build>,
    /// The specification of the run, checked.
    pub spec: Checked,
    /// The network's label; none for a centralised algorithm.
    network: Option<Label>,
    /// What one event is, in the application's words.
    pub event: String,
    /// `privacy.level`, if it is set and the algorithm adds noise.
    pub level: Option<f64>,
    /// Warnings that are not about the network or the privacy plan.
    pub warnings: Vec<String>,
    /// Runs with equal identities compute the same.
    pub identity: String,
    /// Runs with equal problem identities see the same costs and have the same best decision in hindsight.
    pub problem_identity: String,
}

impl RunConfig {
    /// The network and its label; none for a centralised algorithm.
    pub fn network(&self) -> Option<(&Label, &Network)> {
        self.network.as_ref().zip(self.spec.network())
    }

    /// Reads a table in which no key is swept.
    pub fn read(table: &toml::Table, resolver: &dyn Resolver) -> Result<(Self, KeysRead), Error> {
        let (table, empty) = (&neutral(table)?, Table::new());
        let top = Keys::new("", table);
        let rules = Rules::read(&top, resolver.unstated())?;
        let title =
            top.str("title")?.map(str::trim).filter(|t| !t.is_empty()).unwrap_or("experiment").to_owned();
        if title.chars().any(char::is_control) {
            return Err(top.bad("title", "expected a line of text without control characters"));
        }
        let rounds = top.count("rounds", 1)?;
        let trials = top.count("trials", 1)?.unwrap_or(1);
        let trials = u32::try_from(trials).map_err(|_| top.bad("trials", "expected at most 4294967295"))?;
        let seed = Seed::new(top.count("seed", 0)?.unwrap_or(1)).with(rules.generator());
        let record = top.strs("record")?.unwrap_or_default();
        if let Some(other) = record.iter().find(|r| !RECORDS.contains(r)) {
            let known = RECORDS.map(String::from).to_vec();
            return Err(Error::UnknownName { key: "record".into(), found: (*other).into(), known });
        }
        let section =
            |name: &str| Ok::<_, Error>(top.table(name)?.unwrap_or_else(|| Keys::new(name, &empty)));
        let (problem_keys, set_keys) = (section("problem")?, section("set")?);
        let (network_keys, algorithm_keys, privacy_keys) =
            (section("network")?, section("algorithm")?, section("privacy")?);

        let tables = RunTables::new(resolver);
        let problem = problem::read(&problem_keys, resolver, &tables)?;
        let (dim, split) = problem.sizes(rounds)?;
        let dynamic = dynamic::read(&top, dim, &tables)?;
        let (algorithm, own_keys) = read_algorithm(&algorithm_keys, &empty)?;
        let facts = &algorithm.build.facts;
        if facts.style.splits_costs() && problem.model().is_some() {
            let remedy = "it gives every node its own samples, and this cost has none (use e.g. \"dpsda-r\")";
            return Err(algorithm_keys.bad("name", remedy));
        }
        let agents = problem.model().and_then(|model| model.agents());
        let blocks = blocks::read(&network_keys, dim, agents)?;
        network::idle(&own_keys, algorithm)?;
        let used = |key, places: &[_]| network::uses(facts, key).then(|| nearest(key, places)).flatten();
        let weights_keys = used("weights", &[&own_keys, &algorithm_keys, &network_keys]);
        let links_keys = used("links", &[&own_keys, &algorithm_keys]);
        let mechanism_keys = nearest("mechanism", &[&own_keys, &privacy_keys]);
        let step_keys = |key| nearest(key, &[&own_keys, &algorithm_keys]).unwrap_or(&algorithm_keys);
        let (step_keys, steps_keys) = (step_keys("step"), step_keys("steps"));

        let mut spec = Spec::new(blocks.clone())
            .algorithm((algorithm.build.make)(&own_keys)?)
            .rounds(split.rounds)
            .batch(problem.batch() as u64)
            .feedback(problem.feedback)
            .gradient_error(problem.gradient_error);
        let mut network = None;
        if !facts.style.is_central() || network_keys.raw("graph").is_some() {
            let (wired, label) =
                network::read(spec, &network_keys, algorithm, blocks.nodes(), seed, resolver)?;
            (spec, network) = (wired, Some(label));
        }
        if let Some(keys) = weights_keys {
            spec = spec.weights(network::weights(keys)?);
        }
        if let Some(keys) = links_keys {
            spec = spec.links(network::links(keys)?);
        }
        let own_set = problem.model().and_then(|model| model.set());
        if let Some(kind) = problem.model().and_then(|model| model.set_kind()) {
            let key = if set_keys.holds("each") { "each" } else { "kind" };
            if set_keys.holds(key) && set_keys.str("kind").ok().flatten() != Some(kind) {
                let remedy = format!(
                    "the decisions of this cost lie in a set of their own (use kind = \"{kind}\", or leave [set] out)"
                );
                return Err(set_keys.bad(key, remedy));
            }
        }
        spec = match own_set.filter(|_| !set_keys.holds("kind") && !set_keys.holds("each")) {
            Some(set) => spec.set(set),
            None => spec.set(set::from_keys(&set_keys, &blocks)?),
        };
        let (asked, level) = privacy::read(&privacy_keys, mechanism_keys, rules)?;
        let event = problem.event(asked.adjacency, &privacy_keys)?;
        spec = spec.privacy(asked.clone()).step(step::read(step_keys, steps_keys, facts, &asked, rules)?);
        if resolver.metered() {
            spec = spec.metered();
        }
        let mut warnings = baseline::warnings(&set_keys, &privacy_keys, algorithm, &record);
        let of_costs = problem.model().map_or_else(Vec::new, |model| model.warnings(asked.adjacency));
        warnings.extend(of_costs.iter().map(|warning| problem_keys.name(warning)));
        let place = |error: Error| match error.key() {
            Some("weights") => match weights_keys {
                Some(keys) => keys.locate(error),
                None => error.within("algorithm"),
            },
            Some("mechanism") => mechanism_keys.unwrap_or(&privacy_keys).locate(error),
            Some("graph" | "loss" | "delay") => network_keys.locate(error),
            Some("outage") => network_keys.locate(error.at("outage", "loss")),
            Some("feedback" | "probe" | "gradient_error") => problem_keys.locate(error),
            Some("step") => step::number(step_keys, facts, error),
            Some("step.rule") => step::locate(steps_keys, facts, error),
            Some(_) => privacy_keys.locate(error),
            None => error,
        };
        let spec = spec.check().map_err(place)?;
        if let Some(dynamic) = &dynamic {
            dynamic.check(spec.set(), split.rounds)?;
        }
        let rule = spec.network().and_then(|network| network.weights.as_ref()).map(|rule| rule.name());
        let rule_values = weights_keys.map(network::rule_values).unwrap_or_default();
        let network = network.map(|label| label.with_weights(rule, &rule_values));

        let mut sections = vec![top, problem_keys, set_keys, network_keys, privacy_keys, own_keys];
        // Keys of the file's other algorithms are checked here, and used in the runs of those algorithms.
        for other in ALGORITHMS.iter().filter(|a| a.name != algorithm.name) {
            if let Some(keys) = algorithm_keys.table(other.name)? {
                network::idle(&keys, other)?;
                OWN_KEYS
                    .iter()
                    .copied()
                    .chain(other.keys.iter().map(|key| key.name))
                    .chain(network::rule_keys(&keys))
                    .for_each(|key| _ = keys.raw(key));
                sections.push(keys);
            }
        }
        sections.push(algorithm_keys);
        let read = KeysRead {
            asked: sections.iter().flat_map(Keys::asked_names).collect(),
            unknown: sections.iter().flat_map(Keys::unknown).collect(),
        };
        let never_noises = facts.noises == Noises::Nothing;
        let run = Self {
            settings: Vec::new(),
            rules,
            title,
            split,
            trials,
            seed: seed.seed,
            record_decisions: record.contains(&"decisions"),
            record_bounds: record.contains(&"bounds"),
            dynamic,
            problem,
            algorithm,
            network: network.filter(|_| !facts.style.is_central()),
            event,
            level: level.filter(|_| !never_noises),
            warnings,
            identity: identity::of_run(table, algorithm, &spec) + &rule_values,
            problem_identity: identity::of_problem(table, &tables.hashes()),
            spec,
        };
        Ok((run, read))
    }
}

impl RunConfig {
    /// The seed of one of its trials, with the generator of its rules.
    pub fn seed_of(&self, trial: u32) -> Seed {
        Seed::new(self.seed).trial(trial).with(self.rules.generator())
    }
}

/// The first table that holds `key`. All tables are asked for it, so that an overridden key still counts as known.
fn nearest<'k, 'a>(key: &str, places: &[&'k Keys<'a>]) -> Option<&'k Keys<'a>> {
    places.iter().fold(None, |found, keys| {
        let here = keys.raw(key).map(|_| *keys);
        found.or(here)
    })
}

fn read_algorithm<'a>(
    keys: &Keys<'a>,
    empty: &'a Table,
) -> Result<(&'static Listing<Build>, Keys<'a>), Error> {
    let name = keys
        .str("name")?
        .ok_or_else(|| keys.bad("name", "name an algorithm, e.g. \"dpsda-r\" (`dpsda list`)"))?;
    let algorithm = find(ALGORITHMS, &keys.name("name"), name)?;
    let own = keys.table(algorithm.name)?.unwrap_or_else(|| Keys::new(keys.name(algorithm.name), empty));
    Ok((algorithm, own))
}
