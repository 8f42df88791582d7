//! `[problem]`: which costs are revealed.

use std::sync::Arc;

use crate::resolver::RunTables;
use crate::split::{Split, split, whole_run};
use crate::{ResolvedData, Resolver, scaling};
use dpsda::catalog::find;
use dpsda::cost::{Build, COSTS, CostModel};
use dpsda::features::Scaling;
use dpsda::loss::{LOSSES, Loss};
use dpsda::objective::two_point::Feedback;
use dpsda::privacy::plan::Adjacency;
use dpsda::{Error, Keys};

/// `[problem]` without the data.
#[derive(Clone)]
pub struct Problem {
    /// Where costs come from.
    pub costs: ProblemCosts,
    /// What nodes learn of a cost.
    pub feedback: Feedback,
    /// The variance of the gradient error xi.
    pub gradient_error: f64,
    /// The application's words for an agent and a round.
    pub words: EventWords,
}

/// Where the costs of a problem come from.
#[derive(Clone)]
pub enum ProblemCosts {
    /// Losses of samples.
    Samples(SampleProblem),
    /// A model of its own: its name in `problem.cost`, and the model.
    Model(&'static str, Arc<dyn CostModel>),
}

/// Costs that are losses of samples.
#[derive(Clone)]
pub struct SampleProblem {
    /// The loss.
    pub loss: Arc<dyn Loss>,
    /// The name of the data.
    pub data: String,
    /// The data, as the resolver prepared them.
    pub resolved: ResolvedData,
    /// Samples per round.
    pub batch: usize,
    /// How many samples to learn from.
    pub train: Option<usize>,
    /// How many are held out.
    pub test: usize,
    /// Whether each trial has its own order.
    pub shuffle: bool,
    /// What is done to the features of every example.
    pub scaling: Scaling,
}

/// The application's words for an agent and a round: `problem.agent` and `problem.round`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventWords {
    /// E.g. "household".
    pub agent: String,
    /// E.g. "quarter of an hour".
    pub round: String,
}

impl Problem {
    /// The problem of samples, if it is one.
    pub fn samples(&self) -> Option<&SampleProblem> {
        match &self.costs {
            ProblemCosts::Samples(samples) => Some(samples),
            ProblemCosts::Model(..) => None,
        }
    }

    /// The model of the costs, if they are not losses of samples.
    pub fn model(&self) -> Option<&Arc<dyn CostModel>> {
        match &self.costs {
            ProblemCosts::Samples(_) => None,
            ProblemCosts::Model(_, model) => Some(model),
        }
    }

    /// Samples per round; 1 if costs have none.
    pub fn batch(&self) -> usize {
        self.samples().map_or(1, |samples| samples.batch)
    }

    /// Whether costs are losses of a classifier.
    pub fn classifies(&self) -> bool {
        self.samples().is_some_and(|samples| samples.loss.classifies())
    }

    /// The names of what its costs measure.
    pub fn measures(&self) -> &'static [&'static str] {
        self.model().map_or(&[], |model| model.measures())
    }

    /// The dimension of the decisions, and the number of rounds.
    pub(crate) fn sizes(&self, rounds: Option<u64>) -> Result<(usize, Split), Error> {
        match &self.costs {
            ProblemCosts::Samples(own) => {
                let SampleProblem { resolved, train, test, batch, .. } = own;
                Ok((resolved.dim, split(resolved, *train, *test, rounds, *batch)?))
            }
            ProblemCosts::Model(_, model) => {
                let rounds = whole_run(model.rounds(), model.drawn(), rounds)?;
                Ok((model.dim(), Split { train: 0, test: 0, rounds }))
            }
        }
    }

    /// What one event is. The cost must have such events.
    pub(crate) fn event(&self, adjacency: Adjacency, privacy: &Keys<'_>) -> Result<String, Error> {
        let EventWords { agent, round } = &self.words;
        match (&self.costs, adjacency) {
            (ProblemCosts::Samples(_), Adjacency::Round) => Ok(format!("the whole batch of one {round}")),
            (ProblemCosts::Samples(_), Adjacency::Example) => Ok(format!("one example of one {round}")),
            (ProblemCosts::Samples(_), Adjacency::Agent) => {
                let remedy = "no part of a sample's cost is one agent's own (use \"round\" or \"example\")";
                Err(privacy.bad("adjacency", remedy))
            }
            (ProblemCosts::Model(name, model), _) => model.event(adjacency, agent, round).ok_or_else(|| {
                let has = |a, word| model.event(a, agent, round).map(|_| word);
                let known = [has(Adjacency::Round, "\"round\""), has(Adjacency::Agent, "\"agent\"")];
                let known = known.into_iter().flatten().collect::<Vec<_>>().join(" or ");
                privacy.bad("adjacency", format!("the cost \"{name}\" has no such events (use {known})"))
            }),
        }
    }
}

pub(crate) fn read(
    keys: &Keys<'_>,
    resolver: &dyn Resolver,
    tables: &RunTables<'_>,
) -> Result<Problem, Error> {
    let cost = find(COSTS, &keys.name("cost"), keys.str("cost")?.unwrap_or("samples"))?;
    let costs = match cost.build {
        Build::Samples => ProblemCosts::Samples(read_samples(keys, resolver)?),
        Build::Model(make) => ProblemCosts::Model(cost.name, make(keys, &|path| tables.read(path))?.into()),
    };
    let word = |key, usual: &str| -> Result<String, Error> {
        let word = keys.str(key)?.map_or(usual, str::trim);
        if word.is_empty() || word.chars().any(char::is_control) {
            return Err(keys.bad(key, format!("expected a word or a few, e.g. \"{usual}\"")));
        }
        Ok(word.to_owned())
    };
    Ok(Problem {
        costs,
        feedback: read_feedback(keys)?,
        gradient_error: keys.f64_where(
            "gradient_error",
            0.0,
            "a variance: a finite number of at least 0",
            |v| v >= 0.0 && v.is_finite(),
        )?,
        words: EventWords { agent: word("agent", "agent")?, round: word("round", "round")? },
    })
}

fn read_samples(keys: &Keys<'_>, resolver: &dyn Resolver) -> Result<SampleProblem, Error> {
    let loss_name =
        keys.str("loss")?.ok_or_else(|| keys.bad("loss", "name a loss, e.g. \"logistic\" (`dpsda list`)"))?;
    let loss = find(LOSSES, &keys.name("loss"), loss_name)?;
    let data = keys
        .str("data")?
        .ok_or_else(|| keys.bad("data", "name the data, e.g. \"mushroom\" (`dpsda list`)"))?;
    let count = |key, least| {
        Ok::<_, Error>(keys.count(key, least)?.map(|n| usize::try_from(n).unwrap_or(usize::MAX)))
    };
    Ok(SampleProblem {
        loss: (loss.build)(keys)?.into(),
        data: data.to_owned(),
        batch: count("batch", 1)?.unwrap_or(1),
        train: count("train", 1)?,
        test: count("test", 0)?.unwrap_or(0),
        shuffle: keys.bool("shuffle")?.unwrap_or(true),
        scaling: scaling::read(keys)?,
        resolved: resolver.data(data, keys)?,
    })
}

fn read_feedback(keys: &Keys<'_>) -> Result<Feedback, Error> {
    let probed = keys.choice("feedback", &[("gradient", false), ("two-point", true)])?;
    if !probed {
        return Ok(Feedback::Gradient);
    }
    // At smaller distances, rounding errors swamp the difference of the two costs.
    let probe =
        keys.f64_where("probe", 0.01, "a distance from 1e-6 to 1e6", |p| (1e-6..=1e6).contains(&p))?;
    Ok(Feedback::TwoPoint { probe })
}
