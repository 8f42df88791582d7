//! The required form of a line.

use std::sync::Arc;

use dpsda::features::{Features, Samples, dense::Dense, sparse::Sparse};
use dpsda::objective::two_point::Feedback;
use dpsda::privacy::plan::Adjacency;
use dpsda_config::RunConfig;

use super::Wrong;
use super::parse::{self, CostContent, SampleRows};
use crate::stream::{GivenCost, SampleCost};

/// What a line may carry: samples, or a gradient or two values, or either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// Samples, if costs are losses of samples.
    pub samples: Option<SampleForm>,
    /// A gradient or values. None if the promise is about examples: a gradient does not say which example it comes from.
    pub slope: Option<SlopeForm>,
}

/// The required form of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleForm {
    /// Numbers per sample, before they are scaled and without a constant feature.
    pub dim: usize,
    /// Samples per line, at most.
    pub batch: usize,
    /// Whether labels are classes: -1 or 1.
    pub classifies: bool,
}

/// The required form of a gradient, or of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlopeForm {
    /// The number of coordinates of the node's block.
    pub block: usize,
    /// Whether nodes learn from values at two points, not from gradients.
    pub two_point: bool,
}

impl Form {
    /// The form of lines for node `me` of an experiment.
    pub fn of(run: &RunConfig, me: usize) -> Self {
        let samples = run.problem.samples().map(|own| SampleForm {
            dim: run.spec.blocks().dim().saturating_sub(own.scaling.has_intercept().into()),
            batch: own.batch,
            classifies: own.loss.classifies(),
        });
        let slope = SlopeForm {
            block: run.spec.blocks().range(me).len(),
            two_point: run.spec.feedback() != Feedback::Gradient,
        };
        let one_event = run.spec.plan().adjacency() != Adjacency::Example;
        Self { samples, slope: one_event.then_some(slope) }
    }

    /// Reads a line: the round that it names, and the cost.
    pub fn read(&self, line: &[u8]) -> Result<(Option<u64>, GivenCost), Wrong> {
        if line.len() > self.longest() {
            return Err(Wrong::Long(self.longest()));
        }
        let parse::CostLine { round, at, content } = parse::line(self, line)?;
        let cost = match content {
            CostContent::Samples(rows, labels) => GivenCost::Samples(self.samples(rows, labels)?),
            CostContent::Gradient { own, public } => GivenCost::Gradient { own, public, at },
            CostContent::Values(values) => GivenCost::Values { values, at },
        };
        Ok((round, cost))
    }

    fn samples(&self, rows: SampleRows, labels: Vec<f64>) -> Result<SampleCost, Wrong> {
        let dim = self.samples.map_or(0, |form| form.dim);
        let impossible = |_| Wrong::Kind(format!("{dim} columns cannot be stored"));
        let features: Box<dyn Features> = match rows {
            SampleRows::Lists(values) => Box::new(Dense::new(values, dim).map_err(impossible)?),
            SampleRows::Objects { starts, columns, values } => {
                Box::new(Sparse::new(starts, columns, values, dim).map_err(impossible)?)
            }
        };
        let rows = (0..labels.len()).collect();
        Ok(SampleCost { samples: Arc::new(Samples { features, labels }), rows })
    }

    /// The longest line, in bytes: every number in its longest spelling, with its column.
    pub fn longest(&self) -> usize {
        const ENTRY: usize = 40; // "4294967295": -2.2250738585072014e-308,
        let row = |numbers: usize| numbers.saturating_mul(ENTRY).saturating_add(ENTRY);
        let samples = self.samples.map_or(0, |form| row(form.dim).saturating_mul(form.batch));
        let slope = self.slope.map_or(0, |form| row(form.block.max(2)).saturating_mul(2));
        samples.max(slope).saturating_add(128)
    }

    /// What to send in place of samples.
    pub(super) fn not_samples(&self) -> &'static str {
        match self.slope {
            Some(SlopeForm { two_point: true, .. }) => "send \"t\" and two \"values\"",
            _ => "send \"t\" and a \"gradient\"",
        }
    }

    /// What to send in place of a gradient or of values.
    pub(super) fn not_slope(&self) -> &'static str {
        match self.slope {
            None => "its promise is about examples, so send samples, \"x\" and \"y\"",
            Some(SlopeForm { two_point: true, .. }) => "its nodes learn from two \"values\"",
            Some(_) => "its nodes learn from a \"gradient\"",
        }
    }
}
