//! The values of observers along a trial, at the rounds that are kept.

use super::Id;

/// One column per observed metric, all at the same rounds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curves {
    rounds: Vec<u64>,
    columns: Vec<(Id, Vec<f64>)>,
}

impl Curves {
    pub(super) fn of(metrics: impl Iterator<Item = Id>) -> Self {
        Self { rounds: Vec::new(), columns: metrics.map(|id| (id, Vec::new())).collect() }
    }

    /// Adds a point: the value of each metric after `rounds` rounds.
    pub(super) fn push(&mut self, rounds: u64, said: impl Fn(Id) -> f64) {
        self.rounds.push(rounds);
        self.columns.iter_mut().for_each(|(id, values)| values.push(said(*id)));
    }

    /// The number of rounds done at each point, in order.
    pub fn rounds(&self) -> &[u64] {
        &self.rounds
    }

    /// The values of a metric at those rounds; none if it was not observed.
    pub fn get(&self, metric: impl Into<Id>) -> Option<&[f64]> {
        let id = metric.into();
        self.columns.iter().find(|(known, _)| *known == id).map(|(_, values)| values.as_slice())
    }

    /// The last value of a metric.
    pub fn last(&self, metric: impl Into<Id>) -> Option<f64> {
        self.get(metric)?.last().copied()
    }

    /// The points in order, each with the cost of the best decision in hindsight up to there.
    pub(super) fn points<'a>(
        &'a self,
        least: &'a [(u64, f64)],
    ) -> impl DoubleEndedIterator<Item = Point<'a>> {
        self.rounds.iter().enumerate().map(move |(at, &rounds)| Point {
            rounds,
            least: least.iter().find(|(known, _)| *known == rounds).map(|(_, value)| *value),
            curves: self,
            at,
        })
    }
}

/// One point of a trial, from which metrics are derived.
pub struct Point<'a> {
    /// Rounds done.
    pub rounds: u64,
    /// The least mean cost over these rounds of any fixed decision of the set, if it was computed.
    pub least: Option<f64>,
    curves: &'a Curves,
    at: usize,
}

impl Point<'_> {
    /// The observed value of a metric up to this point.
    pub fn value(&self, metric: impl Into<Id>) -> Option<f64> {
        self.curves.get(metric)?.get(self.at).copied()
    }
}
