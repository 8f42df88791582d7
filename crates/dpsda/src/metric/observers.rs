//! The observers of one trial.

use super::{Curves, Id, Metric, Observer, Round, Start};
use crate::fleet::Fleet;

/// One observer per metric that applies, and what they said at the rounds that were kept. The default observes nothing.
#[derive(Default)]
pub struct Observers<'a> {
    each: Vec<(Id, Box<dyn Observer + 'a>)>,
    curves: Curves,
}

impl<'a> Observers<'a> {
    /// The observers of those of the metrics that are observed and that apply here.
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

    /// Shows them a round.
    pub fn round(&mut self, round: &Round<'_>) {
        self.each.iter_mut().for_each(|(_, observer)| observer.round(round));
    }

    /// Shows them the nodes at the end of the round.
    pub fn settled(&mut self, fleet: &dyn Fleet) {
        self.each.iter_mut().for_each(|(_, observer)| observer.settled(fleet));
    }

    /// What a metric comes to so far; none if it is not observed here.
    pub fn so_far(&self, metric: impl Into<Id>) -> Option<f64> {
        let id = metric.into();
        self.each.iter().find(|(known, _)| *known == id).map(|(_, observer)| observer.so_far())
    }

    /// Keeps what they say after so many rounds.
    pub fn keep(&mut self, rounds: u64) {
        let each = &self.each;
        let said = |id| each.iter().find(|(known, _)| *known == id).map_or(f64::NAN, |(_, o)| o.so_far());
        self.curves.push(rounds, said);
    }

    /// All that was kept.
    pub fn into_curves(self) -> Curves {
        self.curves
    }
}
