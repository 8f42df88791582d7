//! Finished trials, from which the metrics of a run are computed.

use super::{Curves, Id, MetricNumbers, Metrics, mean};
use crate::privacy::{Plan, Spent};

/// A finished trial, together with the best decision in hindsight for its costs.
///
/// ```
/// use dpsda::metric::{self, Finished, MetricNumbers, Observers, Start};
/// # use dpsda::prelude::*;
/// # let mut fleet = Spec::new(Blocks::even(1, 1)?).set(Free).algorithm(Central).rounds(2).fleet(Seed::new(1))?;
/// # let cost = OwnCost::new(1, |_| 3.0, |_, g| g.fill(0.0));
/// # let mut observers = Observers::new(metric::all().iter(), &Start { classifies: false, measures: &[], fleet: &*fleet });
/// # for t in 0..2 {
/// #     observers.reveal(t, &cost, &Free, &*fleet);
/// #     fleet.round(t, &cost)?;
/// #     observers.keep(t + 1);
/// # }
/// // `observers` watched two rounds, each with cost 3. The best fixed decision has mean cost 1.
/// let (curves, none) = (observers.into_curves(), MetricNumbers::default());
/// let trial = Finished { curves: &curves, scores: &none, best: &none, least: &[(2, 1.0)], sequence: None, spent: None };
/// let value = |name| metric::all().named(name).and_then(|metric| metric.of_trial(&trial));
/// assert_eq!((value("fitness"), value("regret_per_round")), (Some(3.0), Some(2.0)));
/// assert_eq!(value("accuracy_test_last"), None); // there are no scores
/// # Ok::<(), Error>(())
/// ```
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
    /// The mean cost of the sequence of decisions that dynamic regret is measured against, if one was asked for.
    pub sequence: Option<f64>,
    /// The privacy loss in the ledgers of all nodes at the end, if it is bounded.
    pub spent: Option<Spent>,
}

/// The finished trials of one run, and the settings of the run.
///
/// ```
/// use dpsda::metric::{self, Finished, MetricNumbers, MetricValue, Observers, Start, Trials, regret_per_round};
/// # use dpsda::prelude::*;
/// # let mut fleet = Spec::new(Blocks::even(1, 1)?).set(Free).algorithm(Central).rounds(2).fleet(Seed::new(1))?;
/// # let cost = OwnCost::new(1, |_| 3.0, |_, g| g.fill(0.0));
/// # let mut observers = Observers::new(metric::all().iter(), &Start { classifies: false, measures: &[], fleet: &*fleet });
/// # for t in 0..2 {
/// #     observers.reveal(t, &cost, &Free, &*fleet);
/// #     fleet.round(t, &cost)?;
/// #     observers.keep(t + 1);
/// # }
/// # let (curves, none) = (observers.into_curves(), MetricNumbers::default());
/// // Two trials with mean cost 3. The best fixed decisions have mean costs 1 and 2.
/// let first = Finished { curves: &curves, scores: &none, best: &none, least: &[(2, 1.0)], sequence: None, spent: None };
/// let second = Finished { least: &[(2, 2.0)], ..first };
/// let trials = Trials {
///     run: 1, algorithm: "central", mechanism: "none", level: None, rounds: 2, plan: fleet.plan(),
///     each: vec![first, second], common: None, gap: 0.0, metrics: metric::all(),
/// };
/// assert_eq!(trials.values(&regret_per_round::LISTING), [2.0, 1.0]);
/// assert_eq!(trials.mean(&regret_per_round::LISTING), Some(1.5));
/// let run = metric::all().named("rounds").map(|metric| metric.of_run(&trials));
/// assert_eq!(run, Some(MetricValue::Whole(2)));
/// # Ok::<(), Error>(())
/// ```
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
