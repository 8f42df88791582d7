//! The observers of one trial.

use super::{Curves, Id, Metric, Observer, Round, Start};
use crate::fleet::Fleet;
use crate::objective::Objective;
use crate::set::ConvexSet;

/// One observer per metric that applies, and their values at the rounds that were kept. The default observes nothing.
///
/// ```
/// use dpsda::metric::{self, Metric, Metrics, Observers, Start};
/// use dpsda::prelude::*;
///
/// let set = Cuboid::new(-5.0, 5.0)?;
/// let spec = Spec::new(Blocks::even(4, 2)?).set(set.clone()).graph(Ring::new(2)?).algorithm(Relay).rounds(30);
/// let mut fleet = spec.fleet(Seed::new(1))?;
/// let cost = OwnCost::new(4, |x| x.iter().map(|x| (x - 1.0).powi(2)).sum(), |x, g| {
///     g.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * (x - 1.0));
/// });
///
/// // A metric of your own, in addition to those of the family.
/// let dearest = Metric::largest(|round| round.costs.iter().copied().fold(0.0, f64::max))
///     .named("cost_largest", "The largest cost of any round.")
///     .label("Largest cost");
/// let metrics = Metrics::default().with(dearest.clone())?;
///
/// let mut observers = Observers::new(metrics.iter(), &Start { classifies: false, measures: &[], fleet: &*fleet });
/// for t in 0..30 {
///     observers.reveal(t, &cost, &set, &*fleet);
///     fleet.round(t, &cost)?;
///     observers.settled(&*fleet);
/// }
/// assert_eq!(observers.so_far(&dearest), Some(4.0)); // at x(0) = 0
/// assert!(observers.so_far(&metric::fitness::LISTING) < Some(4.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Default)]
pub struct Observers<'a> {
    each: Vec<(Id, Box<dyn Observer + 'a>)>,
    curves: Curves,
    averaged: Vec<Vec<f64>>,
    rounds: u64,
}

impl<'a> Observers<'a> {
    /// The observers of all metrics that are computed round by round and apply here.
    pub fn new<'m>(metrics: impl IntoIterator<Item = &'m Metric>, start: &Start<'_>) -> Self {
        let mut observers = Self::default();
        for metric in metrics {
            if let Some(observer) = metric.observer(start) {
                observers.add(metric, observer);
            }
        }
        observers
    }

    /// Adds an observer for a metric, before the first round.
    pub fn add(&mut self, metric: impl Into<Id>, observer: Box<dyn Observer + 'a>) {
        self.each.push((metric.into(), observer));
        self.curves = Curves::of(self.each.iter().map(|(id, _)| *id));
    }

    /// Shows round `t` to the observers: decisions are committed, the cost is revealed, and no node has learned from it yet.
    /// Returns the models.
    pub fn reveal(
        &mut self,
        t: u64,
        f: &dyn Objective,
        set: &dyn ConvexSet,
        fleet: &dyn Fleet,
    ) -> Vec<Vec<f64>> {
        let models = fleet.models();
        self.rounds += 1;
        self.averaged.resize_with(models.len(), || vec![0.0; f.dim()]);
        for (mean, x) in self.averaged.iter_mut().zip(&models) {
            mean.iter_mut().zip(x).for_each(|(mean, x)| *mean += (x - *mean) / self.rounds as f64);
        }
        let costs: Vec<f64> = models.iter().map(|x| f.value(&f.enacted(x))).collect();
        let round = Round { t, models: &models, costs: &costs, averaged: &self.averaged, f, set, fleet };
        self.each.iter_mut().for_each(|(_, observer)| observer.round(&round));
        models
    }

    /// The means of all decisions so far, one per model.
    pub fn averaged(&self) -> &[Vec<f64>] {
        &self.averaged
    }

    /// Shows the nodes to the observers at the end of the round.
    pub fn settled(&mut self, fleet: &dyn Fleet) {
        self.each.iter_mut().for_each(|(_, observer)| observer.settled(fleet));
    }

    /// The value of a metric so far; none if it is not observed here.
    pub fn so_far(&self, metric: impl Into<Id>) -> Option<f64> {
        let id = metric.into();
        self.each.iter().find(|(known, _)| *known == id).map(|(_, observer)| observer.so_far())
    }

    /// Keeps the current values of all observers as the point after `rounds` rounds.
    pub fn keep(&mut self, rounds: u64) {
        let each = &self.each;
        let said = |id| each.iter().find(|(known, _)| *known == id).map_or(f64::NAN, |(_, o)| o.so_far());
        self.curves.push(rounds, said);
    }

    /// All points that were kept.
    pub fn into_curves(self) -> Curves {
        self.curves
    }
}
