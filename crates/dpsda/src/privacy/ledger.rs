//! How much privacy has been spent, and on which events.

use serde::{Deserialize, Serialize};

use super::Price;

/// The charges of one node. Its size does not grow with the run.
///
/// ```
/// use dpsda::prelude::*;
/// let asked = Privacy::epsilon(0.5).clip(1.0).mechanism(DiscreteLaplace);
/// let spec = Spec::new(Blocks::even(2, 1)?).set(Free).algorithm(Central).privacy(asked).rounds(3).check()?;
/// let mut learner = spec.learner(0, Seed::new(1));
/// let cost = OwnCost::new(2, |x| x[0], |_, g| g[0] = 1.0);
/// (0..3).for_each(|t| learner.learn(t, &spec.plan().seal(&cost)));
/// let ledger: &Ledger = learner.ledger();
/// assert_eq!((ledger.releases(), ledger.per_event().as_pure()), (3, Some(0.5)));
/// assert_eq!(ledger.lifetime().as_pure(), Some(1.5)); // for someone in all three events
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    releases: u64,
    current: Option<(u64, Price)>,
    largest: Price,
    lifetime: Price,
    person: Option<Person>,
    unprotected: bool,
}

/// The number of events that one person may be in, and how their prices add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Person {
    /// How many events at most.
    pub(super) events: u64,
    /// Whether the events move different releases whose noise is independent; otherwise they may all move the same one.
    pub(super) apart: bool,
}

impl Person {
    /// The price for the person, from that of one event.
    pub(super) fn price(self, event: Price) -> Price {
        if self.apart { event.times(self.events) } else { event.moved_further(self.events) }
    }
}

/// The three totals of some ledgers together.
///
/// ```
/// use dpsda::prelude::*;
/// use dpsda::privacy::Spent;
/// let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace);
/// let spec = Spec::new(Blocks::even(2, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).privacy(asked).rounds(9);
/// let mut fleet = spec.fleet(Seed::new(1))?;
/// let cost = OwnCost::new(2, |x| x[0], |_, g| g[0] = 1.0);
/// (0..2).try_for_each(|t| fleet.round(t, &cost))?;
/// let spent = Spent::of([fleet.ledger(0), fleet.ledger(1)]).expect("decisions come from released values");
/// assert_eq!((spent.event.as_pure(), spent.lifetime.as_pure()), (Some(1.0), Some(2.0))); // both nodes together
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spent {
    /// For one event.
    pub event: Price,
    /// For one person, if events per person are bounded.
    pub person: Option<Price>,
    /// For someone who takes part in every event.
    pub lifetime: Price,
}

impl Spent {
    /// The sum over these ledgers. `None` if decisions were computed from un-noised values, because no total covers those.
    pub fn of<'a>(ledgers: impl IntoIterator<Item = &'a Ledger>) -> Option<Self> {
        let nothing =
            Self { event: Price::default(), person: Some(Price::default()), lifetime: Price::default() };
        ledgers.into_iter().try_fold(nothing, |sum, ledger| {
            (!ledger.unprotected()).then(|| Self {
                event: sum.event.and(ledger.per_event()),
                person: sum.person.zip(ledger.per_person()).map(|(a, b)| a.and(b)),
                lifetime: sum.lifetime.and(ledger.lifetime()),
            })
        })
    }
}

impl Spent {
    /// The largest of each total, for ledgers of which only one is charged for any event. `None` as for [`Spent::of`].
    pub fn largest<'a>(ledgers: impl IntoIterator<Item = &'a Ledger>) -> Option<Self> {
        Self::of([&Ledger::largest(ledgers)])
    }
}

impl Ledger {
    /// One ledger in place of several, if only one of them is charged for any event: the largest of each total, and all releases.
    pub(crate) fn largest<'a>(ledgers: impl IntoIterator<Item = &'a Self>) -> Self {
        let largest = |a: Self, b: &Self| Self {
            releases: a.releases.saturating_add(b.releases),
            current: match (a.current, b.current) {
                (Some((t, x)), Some((s, y))) if t == s => Some((t, x.max(y))),
                (x, y) => {
                    if x.map(|(t, _)| t) > y.map(|(t, _)| t) {
                        x
                    } else {
                        y
                    }
                }
            },
            largest: a.largest.max(b.largest),
            lifetime: a.lifetime.max(b.lifetime),
            person: a.person,
            unprotected: a.unprotected || b.unprotected,
        };
        let mut ledgers = ledgers.into_iter();
        let first = ledgers.next().cloned().unwrap_or_default();
        ledgers.fold(first, largest)
    }

    /// A ledger that also keeps the total of a person.
    pub(super) fn new(person: Option<Person>) -> Self {
        Self { person, ..Self::default() }
    }

    /// Charges one release to the event it used. Events come in order, so one running sum is enough. An event that comes back
    /// later has been forgotten and has no bound. `more` is what the release adds for someone who takes part in every event.
    pub(super) fn charge(&mut self, event: Option<u64>, cost: Price, more: Price) {
        self.releases += 1;
        let Some(event) = event else { return };
        let sum = match self.current {
            Some((e, sum)) if e == event => sum.and(cost),
            Some((e, _)) if e > event => Price::Unbounded,
            _ => cost,
        };
        self.current = Some((event, sum));
        self.largest = self.largest.max(sum);
        self.lifetime = self.lifetime.and(more);
    }

    /// Charges what other lives of this node released, of which only the price is known: so many releases, the last of event
    /// `last`, at the price `event` for each event among them and `lifetime` for someone in all of them.
    pub(super) fn lose(&mut self, last: u64, releases: u64, event: Price, lifetime: Price) {
        self.releases = self.releases.saturating_add(releases);
        let latest = self.current.map_or(last, |(latest, _)| latest.max(last));
        self.current = Some((latest, event));
        self.largest = self.largest.max(event);
        self.lifetime = self.lifetime.and(lifetime);
    }

    /// Noise was used twice: the difference of the two releases has none.
    pub(super) fn note_reused(&mut self) {
        (self.largest, self.lifetime) = (Price::Unbounded, Price::Unbounded);
    }

    /// Something was decided from un-noised values.
    pub(super) fn note_unprotected(&mut self) {
        self.unprotected = true;
    }

    /// The latest event, and all that was charged to it.
    pub fn latest(&self) -> Option<(u64, Price)> {
        self.current
    }

    /// How many values were released.
    pub fn releases(&self) -> u64 {
        self.releases
    }

    /// The largest sum of charges that touch one event: what the node's promise bounds. After a decision from un-noised
    /// values an event reaches every later release too, and all releases count (messages only).
    pub fn per_event(&self) -> Price {
        if self.unprotected { self.lifetime } else { self.largest }
    }

    /// The most that one person may have been charged; `None` without a bound on the events per person.
    pub fn per_person(&self) -> Option<Price> {
        self.person.map(|person| person.price(self.per_event()))
    }

    /// All releases composed, for someone who takes part in every event.
    pub fn lifetime(&self) -> Price {
        self.lifetime
    }

    /// Whether decisions were taken from un-noised values: then they are not protected at all.
    pub fn unprotected(&self) -> bool {
        self.unprotected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_event_pays_the_sum_of_its_own_releases_only() {
        let mut ledger = Ledger::new(Some(Person { events: 2, apart: true }));
        let cost = |micro_epsilon| Price::Pure { micro_epsilon };
        ledger.charge(None, Price::Unbounded, Price::Unbounded);
        for (event, price) in [(0, 5), (1, 3), (1, 4), (2, 1)] {
            ledger.charge(Some(event), cost(price), cost(price));
        }
        assert_eq!((ledger.releases(), ledger.per_event(), ledger.lifetime()), (5, cost(7), cost(13)));
        assert_eq!(ledger.per_person(), Some(cost(14)));
        ledger.note_unprotected();
        assert_eq!(ledger.per_event(), cost(13));
        ledger.charge(Some(3), Price::Unbounded, Price::Unbounded);
        assert_eq!(ledger.per_event(), Price::Unbounded);
    }

    #[test]
    fn what_other_lives_spent_counts_and_the_next_event_pays_its_own_way() {
        let (mut ledger, cost) = (Ledger::default(), Price::epsilon(1.0));
        (0..3).for_each(|event| ledger.charge(Some(event), cost, cost));
        ledger.lose(4, 5, cost.times(2), cost.times(5));
        assert_eq!(
            (ledger.releases(), ledger.per_event(), ledger.lifetime()),
            (8, cost.times(2), cost.times(8))
        );
        assert_eq!(ledger.latest(), Some((4, cost.times(2))));
        ledger.charge(Some(5), cost, cost);
        assert_eq!((ledger.per_event(), ledger.lifetime()), (cost.times(2), cost.times(9)));
    }

    #[test]
    fn an_event_that_comes_back_has_no_bound() {
        let (mut ledger, cost) = (Ledger::default(), Price::epsilon(1.0));
        [0, 1].into_iter().for_each(|event| ledger.charge(Some(event), cost, cost));
        assert_eq!(ledger.per_event(), cost);
        ledger.charge(Some(0), cost, cost);
        assert_eq!(ledger.per_event(), Price::Unbounded);
    }
}
