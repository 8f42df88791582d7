//! `[problem]`: which costs are revealed.

use std::sync::Arc;

use crate::{ResolvedData, Resolver};
use dpsda::catalog::find;
use dpsda::loss::{LOSSES, Loss};
use dpsda::objective::two_point::Feedback;
use dpsda::{Error, Keys};

/// `[problem]` without the data.
#[derive(Clone)]
pub struct Problem {
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
    /// What nodes learn of a cost.
    pub feedback: Feedback,
    /// The variance of the gradient error xi.
    pub gradient_error: f64,
}

pub(crate) fn read(keys: &Keys<'_>, resolver: &dyn Resolver) -> Result<(Problem, ResolvedData), Error> {
    let loss_name =
        keys.str("loss")?.ok_or_else(|| keys.bad("loss", "name a loss, e.g. \"logistic\" (`dpsda list`)"))?;
    let loss = find(LOSSES, &keys.name("loss"), loss_name)?;
    let data = keys
        .str("data")?
        .ok_or_else(|| keys.bad("data", "name the data, e.g. \"mushroom\" (`dpsda list`)"))?;
    let count = |key, least| {
        Ok::<_, Error>(keys.count(key, least)?.map(|n| usize::try_from(n).unwrap_or(usize::MAX)))
    };
    let mut problem = Problem {
        loss: (loss.build)(keys)?.into(),
        data: data.to_owned(),
        handle: 0,
        batch: count("batch", 1)?.unwrap_or(1),
        train: count("train", 1)?,
        test: count("test", 0)?.unwrap_or(0),
        shuffle: keys.bool("shuffle")?.unwrap_or(true),
        feedback: read_feedback(keys)?,
        gradient_error: keys.f64_where(
            "gradient_error",
            0.0,
            "a variance: a finite number of at least 0",
            |v| v >= 0.0 && v.is_finite(),
        )?,
    };
    let data = resolver.data(data, keys)?;
    problem.handle = data.handle;
    Ok((problem, data))
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
