//! The ledger of spent budget, one line per release. Every line's digest covers the line before it, and the node signs the last
//! line. So anyone with the node's public key can tell whether a line was altered, removed, moved or added. Only the node can
//! write a line.

pub mod chain;

use dpsda::privacy::accounting::zcdp;
use dpsda::privacy::{Ledger, Price};
use dpsda_config::Rules;
use serde::{Deserialize, Serialize};

use crate::entry::Digest;
use crate::identity::PublicKey;
use crate::machine::Record;
use crate::manifest::{Pledge, alike};

/// The head of a ledger: which run, node, promise and budget it is about. It is signed with every line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The name of the run.
    pub run: String,
    /// The name of the node.
    pub node: String,
    /// The digest of the manifest.
    pub manifest: Digest,
    /// The node's key.
    pub key: PublicKey,
    /// The privacy promise.
    pub promise: Pledge,
    /// The limits of what the node may spend.
    pub budget: NodeBudget,
    /// The rules by which the accounts are kept. Rules 1 are not written: stores of that time did not state their rules.
    #[serde(skip, default = "unstated")]
    pub rules: Rules,
}

fn unstated() -> Rules {
    Rules::First
}

/// Limits on the node's own three totals, each as an epsilon at the promise's delta.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeBudget {
    /// For one event.
    pub event: Option<f64>,
    /// For one person.
    pub person: Option<f64>,
    /// For someone who takes part in every event.
    pub lifetime: Option<f64>,
}

impl NodeBudget {
    /// The first limit in which two budgets differ, with both values.
    pub(super) fn differs(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let limits = |budget: &Self| {
            [("event", budget.event), ("person", budget.person), ("lifetime", budget.lifetime)]
        };
        let shown = |limit: Option<f64>| limit.map_or_else(|| "no limit".into(), |limit| limit.to_string());
        let same = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => alike(a, b),
            (a, b) => a == b,
        };
        let mut pairs = limits(self).into_iter().zip(limits(other));
        let ((key, ours), (_, theirs)) = pairs.find(|((_, a), (_, b))| !same(*a, *b))?;
        Some((key, shown(ours), shown(theirs)))
    }
}

/// The three totals of a ledger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// The largest sum of charges to one event.
    pub event: Price,
    /// For one person, if events per person are bounded.
    pub person: Option<Price>,
    /// For someone who takes part in every event.
    pub lifetime: Price,
}

/// One release in the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerLine {
    /// The number of the line, from 1.
    pub number: u64,
    /// The epoch of the node.
    pub epoch: u64,
    /// The round that was learned from.
    pub round: u64,
    /// The time, in seconds since 1970.
    pub when: u64,
    /// The event that was charged.
    pub event: Option<u64>,
    /// The charge of this release to that event.
    pub price: Price,
    /// The number of releases so far.
    pub releases: u64,
    /// The totals after this release.
    pub totals: Totals,
    /// The digest of the entry that was sent.
    pub entry: Digest,
    /// The digest of the record that was stored with it.
    pub record: Digest,
}

impl Totals {
    /// The totals of a ledger. The cost of a node that decides from un-noised values is unbounded.
    pub fn of(ledger: &Ledger) -> Self {
        if ledger.unprotected() {
            let person = ledger.per_person().map(|_| Price::Unbounded);
            return Self { event: Price::Unbounded, person, lifetime: Price::Unbounded };
        }
        Self { event: ledger.per_event(), person: ledger.per_person(), lifetime: ledger.lifetime() }
    }
}

impl LedgerLine {
    /// The line for `record`, whose stored bytes have the digest `stored`. It follows `before`.
    pub(super) fn new(record: &Record, stored: Digest, before: &Before, when: u64) -> Self {
        let ledger = &record.saved.ledger;
        let latest = ledger.latest();
        let price = latest.map_or_else(Price::default, |(event, sum)| match before.latest {
            Some((same, paid)) if same == event => sum.less(paid),
            _ => sum,
        });
        Self {
            number: before.number + 1,
            epoch: record.epoch,
            round: record.round,
            when,
            event: latest.map(|(event, _)| event),
            price,
            releases: ledger.releases(),
            totals: Totals::of(ledger),
            entry: record.entry.digest(),
            record: stored,
        }
    }
}

/// What the next line needs to know of the last one.
#[derive(Clone, Copy, Default)]
pub(super) struct Before {
    pub(super) number: u64,
    /// The event of the last line, and the sum of all charges to it.
    pub(super) latest: Option<(u64, Price)>,
}

/// The rest of a limit (an epsilon at `delta`), in the unit in which `spent` is counted.
pub fn left(limit: f64, spent: Price, delta: f64) -> Price {
    match spent {
        Price::Pure { .. } => Price::epsilon(limit).less(spent),
        Price::Zcdp { .. } => match zcdp::rho(limit, delta) {
            // Rounded down, because it is a limit.
            rho if rho >= 0.0 => Price::Zcdp { nano_rho: (rho * 1e9).floor() as u64 }.less(spent),
            _ => Price::default(),
        },
        Price::Unbounded => Price::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_counted_in_the_unit_of_what_was_spent() {
        assert_eq!(left(1.0, Price::epsilon(0.25), 0.0), Price::epsilon(0.75));
        assert_eq!(left(1.0, Price::epsilon(2.0), 0.0), Price::default());
        let whole = Price::rho(zcdp::rho(1.0, 1e-5));
        assert_eq!(left(1.0, whole, 1e-5), Price::Zcdp { nano_rho: 0 });
        let half = Price::rho(zcdp::rho(1.0, 1e-5) / 2.0);
        let rest = left(1.0, half, 1e-5).as_rho().unwrap();
        assert!((rest - half.as_rho().unwrap()).abs() < 3e-9);
        assert_eq!(left(1.0, Price::Unbounded, 1e-5), Price::default());
    }
}
