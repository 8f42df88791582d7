//! How metrics are computed: in every round, at points of a trial, from models, or from all trials of a run.

use std::sync::Arc;

use super::online::{Largest, RunningMean};
use super::{
    Better, Build, DataSplit, Finished, Id, Metric, MetricValue, ModelKind, Observer, Point, Predictions,
    Round, Start, Trials, Uncertainty, Unit, deviation, mean,
};
use crate::catalog::Listing;
use crate::privacy::{Price, Spent};

type Observe = dyn Fn(&Start<'_>) -> Box<dyn Observer> + Send + Sync;
type Derive = dyn Fn(&Point<'_>) -> Option<f64> + Send + Sync;
type Score = dyn Fn(&Predictions<'_>) -> Option<f64> + Send + Sync;

/// How a metric is computed.
#[derive(Clone)]
pub(super) enum Computed {
    /// In every round.
    Online(Arc<Observe>),
    /// In every round, by an observer that the caller adds.
    Supplied,
    /// At points of a trial, from the observed values of another metric.
    Derived(Id, Arc<Derive>),
    /// From the predictions of a model.
    Score(ModelKind, DataSplit, Arc<Score>),
    /// From all finished trials together.
    Pooled(Arc<dyn Fn(&Trials<'_>) -> MetricValue + Send + Sync>),
    /// From the settings of the run.
    Fact(Arc<dyn Fn(&Trials<'_>) -> MetricValue + Send + Sync>),
}

/// How a metric is computed.
impl Metric {
    /// Computed by an observer that watches every round; one observer per trial.
    pub fn online(observer: impl Fn(&Start<'_>) -> Box<dyn Observer> + Send + Sync + 'static) -> Self {
        Self::new(Computed::Online(Arc::new(observer)))
    }

    /// The mean over rounds of `of(round)`.
    pub fn mean(of: impl Fn(&Round<'_>) -> f64 + Clone + Send + Sync + 'static) -> Self {
        Self::online(move |_| Box::new(RunningMean::new(of.clone())))
    }

    /// The largest `of(round)` over all rounds, at least zero.
    pub fn largest(of: impl Fn(&Round<'_>) -> f64 + Clone + Send + Sync + 'static) -> Self {
        Self::online(move |_| Box::new(Largest::new(of.clone())))
    }

    /// Computed by an observer that the caller adds with [`Observers::add`](super::Observers::add), because it needs more than
    /// a [`Round`] has.
    pub fn supplied() -> Self {
        Self::new(Computed::Supplied)
    }

    /// Computed at every point of a trial from the observed values of another metric, `source`.
    pub fn derived(
        source: impl Into<Id>,
        of: impl Fn(&Point<'_>) -> Option<f64> + Send + Sync + 'static,
    ) -> Self {
        Self::new(Computed::Derived(source.into(), Arc::new(of)))
    }

    /// A mean cost minus that of the best fixed decision in hindsight. Each trial has its own best decision.
    pub fn regret(cost: &Listing<Build>) -> Self {
        let cost = Id::from(cost);
        Self::derived(cost, move |point| Some(point.value(cost)? - point.least?))
            .unit(Unit::Cost)
            .better(Better::Lower)
    }

    /// A score of a model's predictions for the data of a trial.
    pub fn score(
        model: ModelKind,
        part: DataSplit,
        of: impl Fn(&Predictions<'_>) -> Option<f64> + Send + Sync + 'static,
    ) -> Self {
        Self::new(Computed::Score(model, part, Arc::new(of)))
    }

    /// Computed from all finished trials of a run together.
    pub fn pooled<V: Into<MetricValue>>(of: impl Fn(&Trials<'_>) -> V + Send + Sync + 'static) -> Self {
        Self::new(Computed::Pooled(Arc::new(move |trials| of(trials).into())))
    }

    /// A setting of a run, or something that follows from its settings alone.
    pub fn fact<V: Into<MetricValue>>(of: impl Fn(&Trials<'_>) -> V + Send + Sync + 'static) -> Self {
        Self::new(Computed::Fact(Arc::new(move |trials| of(trials).into())))
    }

    /// The privacy loss in the ledgers of all nodes, as epsilon for the delta of the run. It is that of the trial which spent
    /// the most; none if some trial has no bound.
    pub fn spent(of: fn(Spent) -> Option<Price>) -> Self {
        let most = move |trials: &Trials<'_>| {
            let delta = trials.plan.delta();
            let spent = trials.each.iter().map(|trial| trial.spent.and_then(of)?.shown(delta));
            spent.reduce(|a, b| Some(a?.max(b?))).flatten()
        };
        Self::pooled(most).unit(Unit::Epsilon)
    }

    /// The standard deviation over trials of another metric, in the same unit.
    pub fn deviation(other: &'static Listing<Build>) -> Self {
        let (of, other) = (Id::from(other), (other.build)());
        let heading =
            other.column.as_ref().map_or_else(|| "".into(), |column| format!("sd of {}", column.heading));
        Self::pooled(move |trials| deviation(&trials.values(of)))
            .label(format!("{}, standard deviation", other.label))
            .heading(heading)
            .unit(other.unit)
            .spread(Uncertainty { of, error: false, beside: false })
    }
}

/// The values of a metric.
impl Metric {
    /// The metric from which it is computed point by point, if there is one.
    pub(super) fn source(&self) -> Option<Id> {
        match self.computed {
            Computed::Derived(source, _) => Some(source),
            _ => None,
        }
    }

    /// Whether it describes the settings of a run, not its results.
    pub fn is_fact(&self) -> bool {
        matches!(self.computed, Computed::Fact(_))
    }

    /// Its observer for a trial; none if it has no observer of its own, or does not apply.
    pub(super) fn observer(&self, start: &Start<'_>) -> Option<Box<dyn Observer>> {
        match &self.computed {
            Computed::Online(observer) if (self.applies)(start) => Some(observer(start)),
            _ => None,
        }
    }

    /// Its score function, if it scores this model on this part of the data.
    pub(super) fn score_of(&self, of: ModelKind, on: DataSplit) -> Option<&Score> {
        match &self.computed {
            Computed::Score(model, part, score) if (*model, *part) == (of, on) => Some(&**score),
            _ => None,
        }
    }

    /// Its values along a trial, one per point; none if it has no curve there.
    pub fn along(&self, trial: &Finished<'_>) -> Option<Vec<Option<f64>>> {
        match &self.computed {
            Computed::Online(_) | Computed::Supplied => {
                trial.curves.get(self).map(|values| values.iter().map(|value| Some(*value)).collect())
            }
            Computed::Derived(_, of) => {
                Some(trial.curves.points(trial.least).map(|point| of(&point)).collect())
            }
            _ => None,
        }
    }

    /// Its value for a trial, if it has one.
    pub fn of_trial(&self, trial: &Finished<'_>) -> Option<f64> {
        match &self.computed {
            Computed::Online(_) | Computed::Supplied => trial.curves.last(self),
            Computed::Derived(_, of) => {
                trial.curves.points(trial.least).next_back().and_then(|point| of(&point))
            }
            Computed::Score(ModelKind::Best, ..) => trial.best.get(self),
            Computed::Score(..) => trial.scores.get(self),
            Computed::Pooled(_) | Computed::Fact(_) => None,
        }
    }

    /// Its value for a run.
    pub fn of_run(&self, trials: &Trials<'_>) -> MetricValue {
        if let Computed::Pooled(of) | Computed::Fact(of) = &self.computed {
            return of(trials);
        }
        let values: Vec<f64> = trials.each.iter().filter_map(|trial| self.of_trial(trial)).collect();
        match self.largest_trial {
            true => values.into_iter().reduce(f64::max).into(),
            false => (!values.is_empty()).then(|| mean(&values)).into(),
        }
    }
}
