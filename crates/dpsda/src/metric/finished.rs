//! What metrics are computed from when trials are over.

use super::{Curves, Id, MetricNumbers, Metrics, mean};
use crate::privacy::{Plan, Spent};

/// A finished trial, beside the best decision in hindsight of its own costs.
#[derive(Clone, Copy)]
pub struct Finished<'a> {
    /// What was observed along it.
    pub curves: &'a Curves,
    /// What its models score.
    pub scores: &'a MetricNumbers,
    /// What the best decision in hindsight scores.
    pub best: &'a MetricNumbers,
    /// The least mean cost over the first so many rounds, at every checkpoint.
    pub least: &'a [(u64, f64)],
    /// What the ledgers of all nodes hold at the end, if it bounds anything.
    pub spent: Option<Spent>,
}

/// The finished trials of one run, and what the run was.
pub struct Trials<'a> {
    /// The number of the run in its folder.
    pub run: u64,
    /// The name of the algorithm.
    pub algorithm: &'a str,
    /// The name of the mechanism.
    pub mechanism: &'a str,
    /// The paper's label for the noise, if the run was set by it.
    pub level: Option<f64>,
    /// T.
    pub rounds: u64,
    /// Clip, noise and claim.
    pub plan: &'a Plan,
    /// The trials that were finished.
    pub each: Vec<Finished<'a>>,
    /// The least mean cost of one decision for all trials together, where it was computed.
    pub common: Option<f64>,
    /// The largest certified distance of a best decision from the true least cost.
    pub gap: f64,
    /// All metrics: some are computed from others.
    pub metrics: &'a Metrics,
}

impl Trials<'_> {
    /// The value of a metric in every trial that has one.
    pub fn values(&self, metric: impl Into<Id>) -> Vec<f64> {
        let metric = self.metrics.get(metric);
        metric.map_or_else(Vec::new, |metric| self.each.iter().filter_map(|t| metric.of_trial(t)).collect())
    }

    /// The mean of a metric over the trials that have a value; none if no trial has one.
    pub fn mean(&self, metric: impl Into<Id>) -> Option<f64> {
        let values = self.values(metric);
        (!values.is_empty()).then(|| mean(&values))
    }

    /// A metric along every trial, at the points where it has a value; trials that it was not observed in are left out.
    pub fn curves(&self, metric: impl Into<Id>) -> Vec<Vec<(u64, f64)>> {
        let Some(metric) = self.metrics.get(metric) else { return Vec::new() };
        let one = |trial: &Finished<'_>| {
            let values = metric.along(trial)?;
            let points = trial.curves.rounds().iter().zip(values);
            Some(points.filter_map(|(rounds, value)| Some((*rounds, value?))).collect())
        };
        self.each.iter().filter_map(one).collect()
    }
}
