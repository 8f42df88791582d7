//! `[problem]`: which costs are revealed.

use std::sync::Arc;

use crate::{ResolvedData, Resolver, scaling};
use dpsda::catalog::find;
use dpsda::cost::{Build, COSTS, CostModel};
use dpsda::features::Scaling;
use dpsda::loss::{LOSSES, Loss};
use dpsda::objective::two_point::Feedback;
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
    /// The resolver's handle of the data.
    pub handle: usize,
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
}

/// The dimension and the size of what a problem reveals.
pub(crate) enum Revealed {
    /// Samples.
    Samples(ResolvedData),
    /// The rounds of a model; `None`: as many as asked for.
    Rounds(Option<u64>),
}

pub(crate) fn read(keys: &Keys<'_>, resolver: &dyn Resolver) -> Result<(Problem, Revealed), Error> {
    let cost = find(COSTS, &keys.name("cost"), keys.str("cost")?.unwrap_or("samples"))?;
    let (costs, revealed) = match cost.build {
        Build::Samples => {
            let (samples, data) = read_samples(keys, resolver)?;
            (ProblemCosts::Samples(samples), Revealed::Samples(data))
        }
        Build::Model(make) => {
            let model = make(keys, &|path| resolver.table(path))?;
            let rounds = model.rounds();
            (ProblemCosts::Model(cost.name, model.into()), Revealed::Rounds(rounds))
        }
    };
    let word = |key, usual: &str| -> Result<String, Error> {
        let word = keys.str(key)?.map_or(usual, str::trim);
        if word.is_empty() || word.chars().any(char::is_control) {
            return Err(keys.bad(key, format!("expected a word or a few, e.g. \"{usual}\"")));
        }
        Ok(word.to_owned())
    };
    let problem = Problem {
        costs,
        feedback: read_feedback(keys)?,
        gradient_error: keys.f64_where(
            "gradient_error",
            0.0,
            "a variance: a finite number of at least 0",
            |v| v >= 0.0 && v.is_finite(),
        )?,
        words: EventWords { agent: word("agent", "agent")?, round: word("round", "round")? },
    };
    Ok((problem, revealed))
}

fn read_samples(keys: &Keys<'_>, resolver: &dyn Resolver) -> Result<(SampleProblem, ResolvedData), Error> {
    let loss_name =
        keys.str("loss")?.ok_or_else(|| keys.bad("loss", "name a loss, e.g. \"logistic\" (`dpsda list`)"))?;
    let loss = find(LOSSES, &keys.name("loss"), loss_name)?;
    let data = keys
        .str("data")?
        .ok_or_else(|| keys.bad("data", "name the data, e.g. \"mushroom\" (`dpsda list`)"))?;
    let count = |key, least| {
        Ok::<_, Error>(keys.count(key, least)?.map(|n| usize::try_from(n).unwrap_or(usize::MAX)))
    };
    let mut samples = SampleProblem {
        loss: (loss.build)(keys)?.into(),
        data: data.to_owned(),
        handle: 0,
        batch: count("batch", 1)?.unwrap_or(1),
        train: count("train", 1)?,
        test: count("test", 0)?.unwrap_or(0),
        shuffle: keys.bool("shuffle")?.unwrap_or(true),
        scaling: scaling::read(keys)?,
    };
    let data = resolver.data(data, keys)?;
    samples.handle = data.handle;
    Ok((samples, data))
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
