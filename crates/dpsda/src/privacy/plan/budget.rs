//! Limits that a run must keep to.

use super::{Decide, Plan};
use crate::Error;
use crate::privacy::accounting::zcdp;
use crate::privacy::{Ledger, Price, Spent};

/// A limit equal to the sum of the prices must not fail by its last bit.
const ROUNDING: f64 = 1.0 + 1e-9;

/// Limits on the three totals, each as an epsilon at the plan's delta, for all nodes together.
///
/// ```
/// use dpsda::prelude::*;
/// use dpsda::privacy::plan::Budget;
/// let budget = Budget { lifetime: Some(5.0), ..Budget::default() };
/// let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace).budget(budget);
/// let spec = Spec::new(Blocks::even(2, 1)?).set(Free).algorithm(Central).privacy(asked);
/// assert!(spec.clone().rounds(5).check().is_ok());
/// assert_eq!(spec.rounds(6).check().map(|_| ()).unwrap_err().key(), Some("budget.lifetime"));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    /// For one event.
    pub event: Option<f64>,
    /// For one person.
    pub person: Option<f64>,
    /// The most events that one person is in.
    pub events_per_person: Option<u64>,
    /// For someone who takes part in every round.
    pub lifetime: Option<f64>,
}

impl Budget {
    /// Refuses limits that mean nothing.
    pub(super) fn check(&self) -> Result<(), Error> {
        for (key, limit) in [("event", self.event), ("person", self.person), ("lifetime", self.lifetime)] {
            if let Some(limit) = limit.filter(|limit| !(*limit > 0.0 && limit.is_finite())) {
                let expected = "expected an epsilon: a finite number above 0";
                return Err(Error::value(format!("budget.{key}"), limit, expected));
            }
        }
        if self.person.is_some() && self.events_per_person.is_none() {
            let remedy = "a budget for a person needs it, e.g. events_per_person = 4";
            return Err(Error::missing("budget.events_per_person", remedy));
        }
        Ok(())
    }
}

impl Plan {
    /// Refuses a run that would spend too much on an event or a person.
    pub(super) fn check_budget(&self) -> Result<(), Error> {
        let budget = self.wanted.budget;
        let person = self.person_cost().unwrap_or(Price::Unbounded);
        self.check("event", budget.event, self.joint_cost(), "ask for a smaller epsilon")?;
        let less = "ask for a smaller epsilon, or allow fewer events per person";
        self.check("person", budget.person, person, less)?;
        // Whether a lifetime has a bound at all is known in advance.
        let ever = budget.lifetime.map(|_| f64::INFINITY);
        self.check("lifetime", ever, self.joint_cost(), "")
    }

    /// Refuses a run that would spend too much in a lifetime. The total is known before the first round.
    pub(super) fn check_lifetime(&self) -> Result<(), Error> {
        let less = "ask for a smaller epsilon, or run fewer rounds";
        self.check("lifetime", self.wanted.budget.lifetime, self.lifetime_cost(), less)
    }

    fn check(&self, key: &str, limit: Option<f64>, cost: Price, less: &str) -> Result<(), Error> {
        let Some(limit) = limit else { return Ok(()) };
        let key = format!("budget.{key}");
        if self.wanted.decide == Decide::Private {
            let remedy = "with decide = \"private\" decisions are not protected, and no budget holds \
                          (use decide = \"published\")";
            return Err(Error::value(key, limit, remedy));
        }
        match cost.as_epsilon(self.delta()) {
            Some(spent) if spent <= limit * ROUNDING => Ok(()),
            Some(spent) => {
                let rule = if cost.as_pure().is_some() { "basic composition" } else { "zCDP" };
                let remedy = format!("the run would spend {spent:.4} by {rule} (allow that much, or {less})");
                Err(Error::value(key, limit, remedy))
            }
            None => {
                let remedy = "nothing bounds what the run would spend (use a noise that has an epsilon, with a \
                              clip, and a delta if it is Gaussian)";
                Err(Error::value(key, limit, remedy))
            }
        }
    }

    /// Node `i`'s own part of the budget of all nodes, in proportion to its part of the price of an event. If every node keeps to
    /// its own part, all together keep to the whole. An agent's event costs something at one node only, so every node then has the
    /// whole budget.
    pub fn share(&self, i: usize) -> Budget {
        if self.by_agent() {
            return self.wanted.budget;
        }
        let (own, all) = (self.cost(i), self.joint_cost());
        let part = |limit: f64| match (own, all) {
            (Price::Pure { micro_epsilon: own }, Price::Pure { micro_epsilon: all }) => {
                limit * own as f64 / all.max(1) as f64
            }
            (own, all) => match (own.as_rho(), all.as_rho()) {
                // Prices of zCDP add up as rho does, not as epsilon.
                (Some(own), Some(all)) if all > 0.0 => {
                    zcdp::epsilon(zcdp::rho(limit, self.delta()) * own / all, self.delta())
                }
                _ => 0.0, // without a bound nothing may be spent
            },
        };
        let whole = self.wanted.budget;
        Budget {
            event: whole.event.map(part),
            person: whole.person.map(part),
            lifetime: whole.lifetime.map(part),
            ..whole
        }
    }

    /// How many rounds the lifetime budget lasts, at the node where it ends first; `None` if it lasts the whole run.
    pub fn lasts(&self) -> Option<u64> {
        let node = |i: usize| {
            let limit = self.share(i).lifetime?;
            let spent = |rounds| self.cost_of(i, rounds).as_epsilon(self.delta());
            let enough = |rounds| spent(rounds).is_some_and(|spent| spent <= limit * ROUNDING);
            // The price of more rounds is never less.
            let (mut least, mut most) = (0, self.rounds);
            while least < most {
                let middle = least + (most - least).div_ceil(2);
                if enough(middle) { least = middle } else { most = middle - 1 }
            }
            Some(least)
        };
        self.groups().into_iter().filter_map(|(i, _)| node(i)).min().filter(|rounds| *rounds < self.rounds)
    }

    /// What the ledgers of all nodes hold together: the sum of their totals. If events are agents', it is the largest of each total.
    /// `None` if decisions were computed from un-noised values.
    pub fn spent<'a>(&self, ledgers: impl IntoIterator<Item = &'a Ledger>) -> Option<Spent> {
        if self.by_agent() { Spent::largest(ledgers) } else { Spent::of(ledgers) }
    }

    /// Whether node `i` keeps to its own part of the budget with this ledger.
    pub fn affords(&self, i: usize, ledger: &Ledger) -> bool {
        let share = self.share(i);
        let within = |limit: Option<f64>, cost: Option<Price>| {
            let spent = || cost.unwrap_or(Price::Unbounded).as_epsilon(self.delta()); // some microseconds
            limit.is_none_or(|limit| !ledger.unprotected() && spent().is_some_and(|e| e <= limit * ROUNDING))
        };
        within(share.event, Some(ledger.per_event()))
            && within(share.person, ledger.per_person())
            && within(share.lifetime, Some(ledger.lifetime()))
    }
}
