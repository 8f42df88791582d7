//! Finished trials, from which the metrics of a run are computed.

use super::{Curves, Id, MetricNumbers, Metrics, mean};
use crate::privacy::{Plan, Spent};

/// A finished trial, together with the best decision in hindsight for its costs.
#[derive(Clone, Copy)]
pub struct Finished<'a> {
    /// The observed values along the trial.
    pub curves: &'a Curves,
    /// The scores of its models.
    pub scores: &'a MetricNumbers,
    /// The scores of the best decision in hindsight.
    pub best: &'a MetricNumbers,
    /// For every checkpoint `(rounds, cost)`: the least mean cost over the first `rounds` rounds.
    pub least: &'a [(u64, f64)],
    /// The privacy loss in the ledgers of all nodes at the end, if it is bounded.
    pub spent: Option<Spent>,
}

/// The finished trials of one run, and the settings of the run.
pub struct Trials<'a> {
    /// The number of the run in its folder.
    pub run: u64,
    /// The name of the algorithm.
    pub algorithm: &'a str,
    /// The name of the mechanism.
    pub mechanism: &'a str,
    /// The paper's label for the noise, if the run uses it.
    pub level: Option<f64>,
    /// T.
    pub rounds: u64,
    /// Clip, noise and claim.
    pub plan: &'a Plan,
    /// The trials that were finished.
    pub each: Vec<Finished<'a>>,
    /// The least mean cost of a single decision for all trials together, if it was computed.
    pub common: Option<f64>,
    /// The largest certified gap between the cost of a best decision and the true minimum.
    pub gap: f64,
    /// All metrics: some are computed from others.
    pub metrics: &'a Metrics,
}

impl Trials<'_> {
    /// The values of a metric, one for every trial that has one.
    pub fn values(&self, metric: impl Into<Id>) -> Vec<f64> {
        let metric = self.metrics.get(metric);
        metric.map_or_else(Vec::new, |metric| self.each.iter().filter_map(|t| metric.of_trial(t)).collect())
    }

    /// The mean of a metric over the trials that have a value; none if no trial has one.
    pub fn mean(&self, metric: impl Into<Id>) -> Option<f64> {
        let values = self.values(metric);
        (!values.is_empty()).then(|| mean(&values))
    }

    /// The points of a metric along every trial. Points without a value and trials that did not observe it are left out.
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
