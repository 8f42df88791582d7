//! The values of observers along a trial, at the rounds that are kept.

use super::Id;

/// One column per observed metric, all at the same rounds.
///
/// ```
/// use dpsda::metric::{self, Observers, Start, accuracy_progressive, fitness};
/// use dpsda::prelude::*;
/// # let mut fleet = Spec::new(Blocks::even(1, 1)?).set(Free).algorithm(Central).rounds(2).fleet(Seed::new(1))?;
/// # let cost = OwnCost::new(1, |_| 3.0, |_, g| g.fill(0.0));
/// let mut observers = Observers::new(metric::all().iter(), &Start { classifies: false, measures: &[], fleet: &*fleet });
/// for t in 0..2 {
///     observers.reveal(t, &cost, &Free, &*fleet);
///     fleet.round(t, &cost)?;
///     observers.keep(t + 1);
/// }
/// let curves = observers.into_curves();
/// assert_eq!((curves.rounds(), curves.get(&fitness::LISTING)), (&[1, 2][..], Some(&[3.0, 3.0][..])));
/// assert_eq!(curves.get(&accuracy_progressive::LISTING), None); // these costs do not classify
/// # Ok::<(), Error>(())
/// ```
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
///
/// ```
/// use dpsda::metric::{self, Finished, Metric, MetricNumbers, Observers, Start, fitness};
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
/// let total = Metric::derived(&fitness::LISTING, |point| Some(point.value(&fitness::LISTING)? * point.rounds as f64));
/// let excess = Metric::derived(&fitness::LISTING, |point| Some(point.value(&fitness::LISTING)? - point.least?));
/// // Two rounds, each with cost 3. The best fixed decision is known for both together: its mean cost is 1.
/// let trial = Finished { curves: &curves, scores: &none, best: &none, least: &[(2, 1.0)], sequence: None, spent: None };
/// assert_eq!(total.along(&trial), Some(vec![Some(3.0), Some(6.0)]));
/// assert_eq!(excess.along(&trial), Some(vec![None, Some(2.0)]));
/// # Ok::<(), Error>(())
/// ```
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
