//! One file, one experiment: the TOML of a run, read once into checked types.

use std::sync::Arc;

use toml::Table;

use crate::catalog::{Entry, find};
use crate::learner::{ALGORITHMS, Algorithm, Mixes, Network, Step};
use crate::loss::{LOSSES, Loss};
use crate::network::certificate::{self, Certificate};
use crate::network::view::{Faulty, Undirected};
use crate::network::weights::{WEIGHTS, Weights};
use crate::network::{Context, TOPOLOGIES, Topology, outage};
use crate::privacy::mechanism::MECHANISMS;
use crate::privacy::plan::{Decide, Noise, Plan, Wish};
use crate::rng::Seed;
use crate::set::{self, ConvexSet};
use crate::{Blocks, Error, Keys};

mod identity;
pub mod sweep;

/// What reading an experiment needs from outside.
pub trait World {
    /// The text of a file named in the experiment.
    fn read(&self, path: &str) -> Result<String, Error>;

    /// Makes the data of `[problem]` ready, asking for their own keys.
    fn data(&self, name: &str, problem: &Keys<'_>) -> Result<Data, Error>;
}

/// Data that are ready.
#[derive(Debug, Clone, Copy)]
pub struct Data {
    /// How many features they have.
    pub dim: usize,
    /// What the world knows them by.
    pub handle: usize,
}

/// One cell of a sweep: everything a run needs but the data.
pub struct Cell {
    /// The swept keys of this cell and their values.
    pub settings: Vec<(String, toml::Value)>,
    /// What it is called.
    pub title: String,
    /// T, if set.
    pub rounds: Option<u64>,
    /// Independent repetitions.
    pub trials: u32,
    /// Where randomness comes from.
    pub seed: u64,
    /// Whether decisions are kept.
    pub record_decisions: bool,
    /// The cost of a round.
    pub problem: Problem,
    /// Where decisions must lie.
    pub set: Arc<dyn ConvexSet>,
    /// Who owns what.
    pub blocks: Arc<Blocks>,
    /// The network, unless the algorithm is centralised.
    pub network: Option<Net>,
    /// The algorithm.
    pub algorithm: &'static Entry<Algorithm>,
    /// Its steps.
    pub step: Step,
    /// What is noised, clipped and claimed.
    pub plan: Arc<Plan>,
    /// The mechanism that is really used: `none` where the level is infinite.
    pub mechanism: &'static str,
    /// The paper's label, if one is set.
    pub level: Option<f64>,
    /// Cells with equal identities would run alike.
    pub identity: String,
    /// Cells with equal problems see the same costs and have the same best decision.
    pub problem_identity: String,
}

/// `[problem]` without the data.
pub struct Problem {
    /// The loss.
    pub loss: Arc<dyn Loss>,
    /// Its name.
    pub loss_name: &'static str,
    /// The name of the data.
    pub data: String,
    /// What the world knows the data by.
    pub handle: usize,
    /// Samples a round.
    pub batch: usize,
    /// How many samples to learn from.
    pub train: Option<usize>,
    /// How many are held out.
    pub test: usize,
    /// Whether each trial has its own order.
    pub shuffle: bool,
    /// The variance of xi.
    pub gradient_error: f64,
}

/// The network of a cell.
pub struct Net {
    /// Who hears whom.
    pub topology: Arc<dyn Topology>,
    /// The name of the graph.
    pub graph: &'static str,
    /// Whether links have directions.
    pub directed: bool,
    /// How much a node listens to whom, for algorithms that mix.
    pub weights: Option<Arc<dyn Weights>>,
    /// The name of the weight rule.
    pub weights_name: Option<&'static str>,
    /// Networks with equal identities are the same.
    pub identity: String,
}

impl Net {
    /// What can be said of this network over so many rounds.
    pub fn certificate(&self, rounds: u64) -> Certificate {
        let found = certificate::certify(&*self.topology, self.weights.as_deref(), self.directed, rounds);
        match self.weights_name {
            Some(name) => found.named(name),
            None => found,
        }
    }
}

impl Cell {
    /// Reads a table in which nothing is swept any more. The second value lists the keys that nobody asked for.
    pub fn read(table: &Table, world: &dyn World) -> Result<(Self, Vec<Error>), Error> {
        let empty = Table::new();
        let top = Keys::new("", table);
        let title = top.str("title")?.unwrap_or("experiment").to_owned();
        let rounds = top.count("rounds", 1)?;
        let trials = top.count("trials", 1)?.unwrap_or(1);
        let trials = u32::try_from(trials).map_err(|_| top.bad("trials", "expected at most 4294967295"))?;
        let seed = top.count("seed", 0)?.unwrap_or(1);
        let record = top.strs("record")?.unwrap_or_default();
        if let Some(other) = record.iter().find(|r| **r != "decisions") {
            let known = vec!["decisions".to_owned()];
            return Err(Error::UnknownName { key: "record".into(), found: (*other).into(), known });
        }
        let section =
            |name: &str| Ok::<_, Error>(top.table(name)?.unwrap_or_else(|| Keys::new(name, &empty)));
        let (problem_keys, set_keys) = (section("problem")?, section("set")?);
        let (network_keys, algorithm_keys, privacy_keys) =
            (section("network")?, section("algorithm")?, section("privacy")?);

        let (problem, dim) = read_problem(&problem_keys, world)?;
        let (algorithm, own_keys) = read_algorithm(&algorithm_keys, &empty)?;
        let kind = &algorithm.build;
        let blocks = Arc::new(read_blocks(&network_keys, dim)?);
        let weights_key =
            [&own_keys, &algorithm_keys, &network_keys].into_iter().find(|k| k.raw("weights").is_some());
        let net = if kind.network == Network::None && network_keys.raw("graph").is_none() {
            None
        } else {
            Some(read_network(&network_keys, weights_key, algorithm, blocks.nodes(), seed, world)?)
        };
        let set: Arc<dyn ConvexSet> = set::from_keys(&set_keys, &blocks)?.into();
        let step_keys = if own_keys.raw("step").is_some() { &own_keys } else { &algorithm_keys };
        let step =
            Step(step_keys.f64_where("step", 1.0, "a finite number above 0", |c| c > 0.0 && c.is_finite())?);
        let (wish, level) = read_privacy(&privacy_keys, kind)?;
        let gain = if kind.averages { blocks.nodes() as f64 } else { 1.0 };

        let stray =
            [&top, &problem_keys, &set_keys, &network_keys, &algorithm_keys, &own_keys, &privacy_keys];
        let unknown = stray.into_iter().flat_map(Keys::unknown).collect();
        let cell = Self {
            settings: Vec::new(),
            title,
            rounds,
            trials,
            seed,
            record_decisions: !record.is_empty(),
            problem,
            set,
            network: net.filter(|_| kind.network != Network::None),
            algorithm,
            step,
            mechanism: wish.mechanism.name,
            level,
            identity: identity::of_run(table, algorithm, step, &wish),
            problem_identity: identity::of_problem(table),
            plan: Arc::new(Plan::new(wish, gain, &blocks)),
            blocks,
        };
        Ok((cell, unknown))
    }
}

fn read_problem(keys: &Keys<'_>, world: &dyn World) -> Result<(Problem, usize), Error> {
    let loss_name =
        keys.str("loss")?.ok_or_else(|| keys.bad("loss", "name a loss, e.g. \"logistic\" (`dpsda list`)"))?;
    let loss = find(LOSSES, &keys.name("loss"), loss_name)?;
    let data = keys
        .str("data")?
        .ok_or_else(|| keys.bad("data", "name the data, e.g. \"mushroom\" (`dpsda list`)"))?;
    let count = |key, least| {
        Ok::<_, Error>(keys.count(key, least)?.map(|n| usize::try_from(n).unwrap_or(usize::MAX)))
    };
    later(keys, "feedback", "gradient", "bandit feedback")?;
    let mut problem = Problem {
        loss: (loss.build)(keys)?.into(),
        loss_name: loss.name,
        data: data.to_owned(),
        handle: 0,
        batch: count("batch", 1)?.unwrap_or(1),
        train: count("train", 1)?,
        test: count("test", 0)?.unwrap_or(0),
        shuffle: keys.bool("shuffle")?.unwrap_or(true),
        gradient_error: keys.f64_where(
            "gradient_error",
            0.0,
            "a variance: a finite number of at least 0",
            |v| v >= 0.0 && v.is_finite(),
        )?,
    };
    let Data { dim, handle } = world.data(data, keys)?;
    problem.handle = handle;
    Ok((problem, dim))
}

fn read_algorithm<'a>(
    keys: &Keys<'a>,
    empty: &'a Table,
) -> Result<(&'static Entry<Algorithm>, Keys<'a>), Error> {
    let name = keys
        .str("name")?
        .ok_or_else(|| keys.bad("name", "name an algorithm, e.g. \"dpsda-r\" (`dpsda list`)"))?;
    let algorithm = find(ALGORITHMS, &keys.name("name"), name)?;
    for other in ALGORITHMS.iter().filter(|a| a.name != algorithm.name) {
        keys.raw(other.name); // keys for another algorithm of the same file
    }
    let own = keys.table(algorithm.name)?.unwrap_or_else(|| Keys::new(keys.name(algorithm.name), empty));
    Ok((algorithm, own))
}

fn read_blocks(keys: &Keys<'_>, dim: usize) -> Result<Blocks, Error> {
    let nodes = keys.count("nodes", 1)?.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let sizes = keys.counts("blocks")?;
    match (nodes, sizes) {
        (Some(n), Some(sizes)) if n != sizes.len() => Err(keys
            .bad("blocks", format!("{} sizes for network.nodes = {n} (give one size a node)", sizes.len()))),
        (_, Some(sizes)) => Blocks::of(&sizes, dim),
        (Some(n), None) => Blocks::even(dim, n),
        (None, None) if keys.str("graph")? == Some("paper-fig2") => Blocks::even(dim, 7),
        (None, None) => Err(keys.bad("nodes", "say how many nodes share the decision, e.g. nodes = 7")),
    }
}

fn read_network(
    keys: &Keys<'_>,
    weights_key: Option<&Keys<'_>>,
    algorithm: &'static Entry<Algorithm>,
    nodes: usize,
    seed: u64,
    world: &dyn World,
) -> Result<Net, Error> {
    let kind = &algorithm.build;
    let directed = keys.bool("directed")?.unwrap_or(true) && kind.network != Network::Undirected;
    let name =
        keys.str("graph")?.ok_or_else(|| keys.bad("graph", "name a graph, e.g. \"ring\" (`dpsda list`)"))?;
    let graph = find(TOPOLOGIES, &keys.name("graph"), name)?;
    let context = Context { nodes, directed, seed, read: &|path| world.read(path) };
    let mut topology = (graph.build)(keys, &context)?;
    if !directed {
        topology = Box::new(Undirected::new(topology));
    }
    if let Some(loss) = keys.table("loss")? {
        let outage = outage::read(loss, Seed { seed, trial: 0 })?;
        topology = Box::new(Faulty::new(topology, outage, directed));
    }
    if keys.raw("delay").is_some() {
        return Err(keys.bad("delay", "delayed messages cannot be simulated yet (remove the key)"));
    }
    let weights = read_weights(weights_key, algorithm)?;
    Ok(Net {
        topology: topology.into(),
        graph: graph.name,
        directed,
        weights_name: weights.map(|w| w.name),
        weights: weights.map(|w| (w.build)().into()),
        identity: format!("{keys:?} {nodes} {seed} {directed} {:?}", weights.map(|w| w.name)),
    })
}

fn read_weights(
    keys: Option<&Keys<'_>>,
    algorithm: &'static Entry<Algorithm>,
) -> Result<Option<&'static Entry<crate::network::weights::Build>>, Error> {
    let Some(mixes) = algorithm.build.mixes else { return Ok(None) };
    let default = mixes.default_rule();
    let Some(keys) = keys else { return find(WEIGHTS, "algorithm.weights", default).map(Some) };
    let found = find(WEIGHTS, &keys.name("weights"), keys.str("weights")?.unwrap_or(default))?;
    if mixes.accepts(&*(found.build)()) {
        return Ok(Some(found));
    }
    let (needs, fit) = match mixes {
        Mixes::Rows(_) => ("rows that sum to one", "row-stochastic"),
        Mixes::Columns(_) => ("columns that sum to one on every graph", "column-stochastic"),
    };
    let fitting = WEIGHTS.iter().filter(|w| mixes.accepts(&*(w.build)())).map(|w| format!("{:?}", w.name));
    let fitting = fitting.collect::<Vec<_>>().join(" or ");
    let name = algorithm.name;
    Err(keys.bad("weights", format!("{name} needs {needs}, and these are not {fit} (use {fitting})")))
}

fn read_privacy(keys: &Keys<'_>, kind: &Algorithm) -> Result<(Wish, Option<f64>), Error> {
    let level = match keys.raw("level") {
        None => None,
        Some(_) => Some(keys.f64_where("level", 1.0, "a number above 0, or inf for no noise", |l| l > 0.0)?),
    };
    for key in ["epsilon", "delta", "adjacency", "grid", "budget"] {
        if keys.raw(key).is_some() {
            return Err(keys.bad(key, "targets and budgets for the whole run need the exact mechanisms, which are not there yet (use `level`, with a `clip` if you want the epsilon it buys)"));
        }
    }
    later(keys, "arithmetic", "real", "grid arithmetic")?;
    let mechanism = match keys.str("mechanism")? {
        Some(name) => find(MECHANISMS, &keys.name("mechanism"), name)?,
        None if level.is_some() => {
            return Err(keys.bad("mechanism", "`privacy.level` needs one (use \"laplace\")"));
        }
        None => find(MECHANISMS, "privacy.mechanism", "none")?,
    };
    let needs_level = mechanism.keys.iter().any(|k| k.name == "level");
    if needs_level && level.is_none() {
        return Err(
            keys.bad("level", format!("the mechanism \"{}\" needs it, e.g. level = 1.0", mechanism.name))
        );
    }
    let clip = keys.f64("clip")?;
    if clip.is_some_and(|c| !(c > 0.0 && c.is_finite())) {
        return Err(
            keys.bad("clip", "expected a finite number above 0: the largest L1 norm of a round's gradient")
        );
    }
    let noise = keys.choice("noise", &[("own", Noise::Own), ("all", Noise::All)])?;
    let decide = keys.choice("decide", &[("published", Decide::Published), ("private", Decide::Private)])?;
    let silent = !needs_level || level == Some(f64::INFINITY);
    let wish = Wish {
        mechanism: if silent && needs_level {
            find(MECHANISMS, "privacy.mechanism", "none")?
        } else {
            mechanism
        },
        level: if silent { f64::INFINITY } else { level.unwrap_or(f64::INFINITY) },
        clip,
        // Where gradients are noised at birth there is nothing else to noise and nothing un-noised to decide from.
        noise: if kind.averages { noise } else { Noise::Own },
        decide: if kind.averages { decide } else { Decide::Published },
    };
    Ok((wish, if needs_level { level } else { None }))
}

/// A key of the file format of which only one value works so far.
fn later(keys: &Keys<'_>, key: &str, works: &str, what: &str) -> Result<(), Error> {
    match keys.str(key)? {
        Some(found) if found != works => {
            Err(keys.bad(key, format!("{what} is not there yet (use \"{works}\")")))
        }
        _ => Ok(()),
    }
}
