//! How metrics are computed: in every round, at points of a trial, from models, or from all trials of a run.

use std::sync::Arc;

use super::online::{Largest, RunningMean};
use super::{
    Better, Build, DataSplit, Finished, Id, Metric, MetricValue, ModelKind, Observer, Point, Predictions,
    Round, Start, Trials, Uncertainty, Unit, deviation, mean,
};
use crate::catalog::Listing;
use crate::privacy::{Cost, Spent};

type Observe = dyn Fn(&Start<'_>) -> Box<dyn Observer> + Send + Sync;
type Derive = dyn Fn(&Point<'_>) -> Option<f64> + Send + Sync;
type Score = dyn Fn(&Predictions<'_>) -> Option<f64> + Send + Sync;

/// How it is computed.
#[derive(Clone)]
pub(super) enum Computed {
    /// In every round.
    Online(Arc<Observe>),
    /// In every round, by an observer that whoever runs the rounds has.
    Supplied,
    /// At points of a trial, from what was observed of another metric so far.
    Derived(Id, Arc<Derive>),
    /// From what a model predicts.
    Score(ModelKind, DataSplit, Arc<Score>),
    /// From all finished trials together.
    Pooled(Arc<dyn Fn(&Trials<'_>) -> MetricValue + Send + Sync>),
    /// From what the run was set to.
    Fact(Arc<dyn Fn(&Trials<'_>) -> MetricValue + Send + Sync>),
}

/// How a metric is computed.
impl Metric {
    /// Seen in every round by an observer, one per trial.
    pub fn online(observer: impl Fn(&Start<'_>) -> Box<dyn Observer> + Send + Sync + 'static) -> Self {
        Self::new(Computed::Online(Arc::new(observer)))
    }

    /// The mean over rounds of what is seen in each.
    pub fn mean(of: impl Fn(&Round<'_>) -> f64 + Clone + Send + Sync + 'static) -> Self {
        Self::online(move |_| Box::new(RunningMean::new(of.clone())))
    }

    /// The largest over rounds of what is seen in each, and at least zero.
    pub fn largest(of: impl Fn(&Round<'_>) -> f64 + Clone + Send + Sync + 'static) -> Self {
        Self::online(move |_| Box::new(Largest::new(of.clone())))
    }

    /// Seen in every round by an observer that whoever runs the rounds adds: it needs more than a [`Round`] holds.
    pub fn supplied() -> Self {
        Self::new(Computed::Supplied)
    }

    /// Computed at every point of a trial from what was observed so far of another metric, its source.
    pub fn derived(
        source: impl Into<Id>,
        of: impl Fn(&Point<'_>) -> Option<f64> + Send + Sync + 'static,
    ) -> Self {
        Self::new(Computed::Derived(source.into(), Arc::new(of)))
    }

    /// By how much a mean cost exceeds that of the best fixed decision in hindsight, each trial against its own.
    pub fn regret(cost: &Listing<Build>) -> Self {
        let cost = Id::from(cost);
        Self::derived(cost, move |point| Some(point.value(cost)? - point.least?))
            .unit(Unit::Cost)
            .better(Better::Lower)
    }

    /// A score of what a model predicts for the data of a trial.
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

    /// What a run was set to, or what follows from that alone.
    pub fn fact<V: Into<MetricValue>>(of: impl Fn(&Trials<'_>) -> V + Send + Sync + 'static) -> Self {
        Self::new(Computed::Fact(Arc::new(move |trials| of(trials).into())))
    }

    /// What the ledgers of all nodes charged, as epsilon at the run's delta; the trial that spent the most. None if a trial has no
    /// bound.
    pub fn spent(of: fn(Spent) -> Option<Cost>) -> Self {
        let most = move |trials: &Trials<'_>| {
            let delta = trials.plan.delta();
            let spent = trials.each.iter().map(|trial| trial.spent.and_then(of)?.shown(delta));
            spent.reduce(|a, b| Some(a?.max(b?))).flatten()
        };
        Self::pooled(most).unit(Unit::Epsilon)
    }

    /// The standard deviation over trials of another metric, in that one's unit.
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

/// What it comes to.
impl Metric {
    /// The metric that it is computed from, point by point, if it is.
    pub(super) fn source(&self) -> Option<Id> {
        match self.computed {
            Computed::Derived(source, _) => Some(source),
            _ => None,
        }
    }

    /// Whether it tells what a run was, not how it went.
    pub fn is_fact(&self) -> bool {
        matches!(self.computed, Computed::Fact(_))
    }

    /// Its observer for a trial; none if it is not observed, or does not apply.
    pub(super) fn observer(&self, start: &Start<'_>) -> Option<Box<dyn Observer>> {
        match &self.computed {
            Computed::Online(observer) if (self.applies)(start) => Some(observer(start)),
            _ => None,
        }
    }

    /// How it scores what this model predicts for this part of the data, if it does.
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

    /// Its value of a trial; none if it has none there.
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

    /// Its value of a run.
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
