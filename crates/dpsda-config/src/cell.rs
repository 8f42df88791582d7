//! One cell of a sweep: everything a run needs but the data.

use std::sync::Arc;

use dpsda::keys::{Table, Value};

use dpsda::catalog::{Listing, find};
use dpsda::learner::{ALGORITHMS, Algorithm, Graphs, Learner, Links, Setup, Step};
use dpsda::network::TOPOLOGIES;
use dpsda::privacy::plan::{Arithmetic, Plan, Shape};
use dpsda::rng::{Key, Seed};
use dpsda::set::{self, ConvexSet};
use dpsda::{Blocks, Error, Keys};

use crate::network::Network;
use crate::problem::Problem;
use crate::resolver::Resolver;
use crate::rules::Rules;
use crate::split::{Split, split};
use crate::value::neutral;
use crate::{baseline, identity, network, privacy, problem, step};

/// The keys that may stand in the table of one algorithm, e.g. `[algorithm.dpsda-c]`.
const OWN_KEYS: [&str; 5] = ["weights", "step", "steps", "links", "mechanism"];

/// What may be recorded beyond the usual.
const RECORDS: [&str; 2] = ["decisions", "bounds"];

/// The weight rules that grid arithmetic knows in integers.
const ON_GRID: [&str; 2] = ["metropolis", "push-sum"];

/// All nodes together keep the square of their number in memory.
const MAX_NODES: usize = 4096;

/// What reading a cell asked for, and what was there besides.
pub struct Read {
    /// The dotted keys asked for.
    pub asked: Vec<String>,
    /// One error for every key that was not.
    pub unknown: Vec<Error>,
}

/// One cell of a sweep: everything a run needs but the data.
#[derive(Clone)]
pub struct Cell {
    /// The swept keys of this cell and their values.
    pub settings: Vec<(String, Value)>,
    /// What its defaults and words mean.
    pub rules: Rules,
    /// What it is called.
    pub title: String,
    /// How many samples are learned from and held out, and how many rounds they give.
    pub split: Split,
    /// Independent repetitions.
    pub trials: u32,
    /// Where randomness comes from.
    pub seed: u64,
    /// Whether decisions are kept.
    pub record_decisions: bool,
    /// Whether bounds and what they bound are measured along.
    pub record_bounds: bool,
    /// The cost of a round.
    pub problem: Problem,
    /// Where decisions must lie.
    pub set: Arc<dyn ConvexSet>,
    /// Who owns what.
    pub blocks: Arc<Blocks>,
    /// The network, unless the algorithm is centralised.
    pub network: Option<Network>,
    /// The algorithm.
    pub algorithm: &'static Listing<Algorithm>,
    /// Its steps.
    pub step: Step,
    /// What is noised, clipped and claimed.
    pub plan: Arc<Plan>,
    /// The mechanism that is really used: `none` where the level is infinite.
    pub mechanism: &'static str,
    /// The paper's label, if one is set.
    pub level: Option<f64>,
    /// What a user should be warned of besides network and privacy.
    pub warnings: Vec<String>,
    /// Cells with equal identities would run alike.
    pub identity: String,
    /// Cells with equal problems see the same costs and have the same best decision.
    pub problem_identity: String,
}

impl Cell {
    /// The learner of one node. Its noise is drawn from `key`, where it must be a secret, and else from the seed.
    pub fn learner(&self, node: usize, seed: Seed, key: Option<Key>) -> Box<dyn Learner> {
        (self.algorithm.build.build)(Setup {
            node,
            blocks: Arc::clone(&self.blocks),
            set: Arc::clone(&self.set),
            step: self.step,
            weights: self.network.as_ref().and_then(|net| net.weights.clone()),
            plan: Arc::clone(&self.plan),
            links: self.network.as_ref().map_or(Links::Naive, |net| net.links),
            feedback: self.problem.feedback,
            gradient_error: self.problem.gradient_error,
            seed,
            key,
        })
    }

    /// Reads a table in which nothing is swept any more.
    pub fn read(table: &toml::Table, resolver: &dyn Resolver) -> Result<(Self, Read), Error> {
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
        let seed = top.count("seed", 0)?.unwrap_or(1);
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

        let (problem, data) = problem::read(&problem_keys, resolver)?;
        let split = split(&data, problem.train, problem.test, rounds, problem.batch)?;
        let (algorithm, own_keys) = read_algorithm(&algorithm_keys, &empty)?;
        let kind = &algorithm.build;
        let blocks = Arc::new(read_blocks(&network_keys, data.dim)?);
        network::idle(&own_keys, algorithm)?;
        let used = |key, places: &[_]| network::uses(kind, key).then(|| nearest(key, places)).flatten();
        let weights_key = used("weights", &[&own_keys, &algorithm_keys, &network_keys]);
        let links_key = used("links", &[&own_keys, &algorithm_keys]);
        let net = if kind.network == Graphs::None && network_keys.raw("graph").is_none() {
            None
        } else {
            Some(network::read(
                &network_keys,
                weights_key,
                links_key,
                algorithm,
                blocks.nodes(),
                seed,
                resolver,
            )?)
        };
        let set: Arc<dyn ConvexSet> = set::from_keys(&set_keys, &blocks)?.into();
        let mechanism_keys = nearest("mechanism", &[&own_keys, &privacy_keys]);
        let (wish, level) = privacy::read(&privacy_keys, mechanism_keys, kind, rules)?;
        let (wish, level) = baseline::adapt(&privacy_keys, algorithm, wish, level)?;
        baseline::told(&problem_keys, algorithm, problem.feedback)?;
        let warnings = baseline::warnings(&set_keys, &privacy_keys, algorithm, &record);
        let step_keys = |key| nearest(key, &[&own_keys, &algorithm_keys]).unwrap_or(&algorithm_keys);
        let step = step::read(step_keys("step"), step_keys("steps"), algorithm, &*set, &wish, rules)?;
        let (averages, rounds, batch) = (kind.averages, split.rounds, problem.batch as u64);
        let mechanism_key = mechanism_keys.map_or_else(String::new, |keys| keys.name("mechanism"));
        let make = if resolver.metered() { Plan::metered } else { Plan::new };
        let plan = make(wish, &Shape { averages, blocks: &blocks, rounds, batch })
            .map_err(|error| error.at("privacy.mechanism", &mechanism_key))?;
        if let (Arithmetic::Grid, Some(name)) = (
            plan.arithmetic(),
            net.as_ref().and_then(|net| net.weights_name).filter(|name| !ON_GRID.contains(name)),
        ) {
            let remedy = format!(
                "whole units are split as \"metropolis\" or \"push-sum\" do, not as \"{name}\" (use one of those)"
            );
            return Err(privacy_keys.bad("arithmetic", remedy));
        }

        let mut sections = vec![top, problem_keys, set_keys, network_keys, privacy_keys, own_keys];
        // Keys for another algorithm of the same file are checked here, and used where it runs.
        for other in ALGORITHMS.iter().filter(|a| a.name != algorithm.name) {
            if let Some(keys) = algorithm_keys.table(other.name)? {
                network::idle(&keys, other)?;
                OWN_KEYS.iter().for_each(|key| _ = keys.raw(key));
                sections.push(keys);
            }
        }
        sections.push(algorithm_keys);
        let read = Read {
            asked: sections.iter().flat_map(Keys::asked_names).collect(),
            unknown: sections.iter().flat_map(Keys::unknown).collect(),
        };
        let links = net.as_ref().map_or_else(String::new, |net| format!("{:?}", net.links));
        let cell = Self {
            settings: Vec::new(),
            rules,
            title,
            split,
            trials,
            seed,
            record_decisions: record.contains(&"decisions"),
            record_bounds: record.contains(&"bounds"),
            problem,
            set,
            network: net.filter(|_| kind.network != Graphs::None),
            algorithm,
            step,
            mechanism: wish.mechanism.name,
            level,
            warnings,
            identity: identity::of_run(table, algorithm, step, &wish) + &links,
            problem_identity: identity::of_problem(table),
            plan: Arc::new(plan),
            blocks,
        };
        Ok((cell, read))
    }
}

/// The first place that holds `key`. It is asked for in all of them: where it is overridden it is still known.
fn nearest<'k, 'a>(key: &str, places: &[&'k Keys<'a>]) -> Option<&'k Keys<'a>> {
    places.iter().fold(None, |found, keys| {
        let here = keys.raw(key).map(|_| *keys);
        found.or(here)
    })
}

fn read_algorithm<'a>(
    keys: &Keys<'a>,
    empty: &'a Table,
) -> Result<(&'static Listing<Algorithm>, Keys<'a>), Error> {
    let name = keys
        .str("name")?
        .ok_or_else(|| keys.bad("name", "name an algorithm, e.g. \"dpsda-r\" (`dpsda list`)"))?;
    let algorithm = find(ALGORITHMS, &keys.name("name"), name)?;
    let own = keys.table(algorithm.name)?.unwrap_or_else(|| Keys::new(keys.name(algorithm.name), empty));
    Ok((algorithm, own))
}

fn read_blocks(keys: &Keys<'_>, dim: usize) -> Result<Blocks, Error> {
    let nodes = keys.count("nodes", 1)?.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    if nodes.is_some_and(|n| n > MAX_NODES) {
        return Err(keys.bad("nodes", format!("every node knows every block (use at most {MAX_NODES})")));
    }
    let sizes = keys.counts("blocks")?;
    match (nodes, sizes) {
        (Some(n), Some(sizes)) if n != sizes.len() => Err(keys
            .bad("blocks", format!("{} sizes for network.nodes = {n} (give one size a node)", sizes.len()))),
        (_, Some(sizes)) => Blocks::of(&sizes, dim),
        (Some(n), None) => Blocks::even(dim, n),
        (None, None) if keys.str("graph")? == Some("paper-fig2") => Blocks::even(dim, 7),
        // A graph that does not exist is the mistake, not the number of its nodes.
        (None, None) if keys.str("graph")?.is_some_and(|g| TOPOLOGIES.iter().all(|t| t.name != g)) => {
            find(TOPOLOGIES, &keys.name("graph"), keys.str("graph")?.unwrap_or_default())
                .and_then(|_| Blocks::even(dim, 1))
        }
        (None, None) => Err(keys.bad("nodes", "say how many nodes share the decision, e.g. nodes = 7")),
    }
}
