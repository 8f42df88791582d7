//! What was spent, a line a release. Every line's digest covers the one before it, and the node signs the last, so that whoever
//! knows its public key can tell whether a line was altered, removed, moved or added. Only the node can write one.

pub mod chain;

use dpsda::privacy::accounting::zcdp;
use dpsda::privacy::{Cost, Ledger};
use dpsda_config::Rules;
use serde::{Deserialize, Serialize};

use crate::entry::Digest;
use crate::identity::PublicKey;
use crate::machine::Record;
use crate::manifest::{Pledge, alike};

/// What a ledger is about. It is signed with every line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// What people call the run.
    pub run: String,
    /// What people call the node.
    pub node: String,
    /// The manifest that it runs.
    pub manifest: Digest,
    /// Its key.
    pub key: PublicKey,
    /// What is promised.
    pub promise: Pledge,
    /// What it may spend.
    pub budget: NodeBudget,
    /// What words and defaults mean in its accounts. The first had no number yet: where they hold, nothing is written.
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
    /// For whoever is in every event.
    pub lifetime: Option<f64>,
}

impl NodeBudget {
    /// The first limit that is another one, and both.
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
    pub event: Cost,
    /// For one person, if events per person are bounded.
    pub person: Option<Cost>,
    /// For whoever is in every event.
    pub lifetime: Cost,
}

/// One release, as it is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Counts lines, from 1.
    pub number: u64,
    /// Which life of the node.
    pub epoch: u64,
    /// The round that was learned from.
    pub round: u64,
    /// When, in seconds since 1970.
    pub when: u64,
    /// The event that was charged.
    pub event: Option<u64>,
    /// What this release was charged to it.
    pub price: Cost,
    /// Releases so far, and what they cost together.
    pub releases: u64,
    /// The totals after it.
    pub totals: Totals,
    /// Names the entry that was sent.
    pub entry: Digest,
    /// Names the record that it was stored with.
    pub record: Digest,
}

impl Totals {
    /// Of a ledger. Nothing bounds a node that decides from un-noised values.
    pub fn of(ledger: &Ledger) -> Self {
        if ledger.unprotected() {
            let person = ledger.per_person().map(|_| Cost::Unbounded);
            return Self { event: Cost::Unbounded, person, lifetime: Cost::Unbounded };
        }
        Self { event: ledger.per_event(), person: ledger.per_person(), lifetime: ledger.lifetime() }
    }
}

impl Line {
    /// The line of a record that is stored as bytes of this digest, after `before`.
    pub(super) fn new(record: &Record, stored: Digest, before: &Before, when: u64) -> Self {
        let ledger = &record.saved.ledger;
        let latest = ledger.latest();
        let price = latest.map_or_else(Cost::default, |(event, sum)| match before.latest {
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

/// What the next line follows.
#[derive(Clone, Copy, Default)]
pub(super) struct Before {
    pub(super) number: u64,
    /// The event of the last one, and all it was charged.
    pub(super) latest: Option<(u64, Cost)>,
}

/// What may still be spent of a limit (an epsilon at `delta`), counted as what was spent is counted.
pub fn left(limit: f64, spent: Cost, delta: f64) -> Cost {
    match spent {
        Cost::Pure { .. } => Cost::epsilon(limit).less(spent),
        Cost::Zcdp { .. } => match zcdp::rho(limit, delta) {
            // Rounded down, for it is a limit.
            rho if rho >= 0.0 => Cost::Zcdp { nano_rho: (rho * 1e9).floor() as u64 }.less(spent),
            _ => Cost::default(),
        },
        Cost::Unbounded => Cost::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_counted_as_it_was_spent() {
        assert_eq!(left(1.0, Cost::epsilon(0.25), 0.0), Cost::epsilon(0.75));
        assert_eq!(left(1.0, Cost::epsilon(2.0), 0.0), Cost::default());
        let whole = Cost::rho(zcdp::rho(1.0, 1e-5));
        assert_eq!(left(1.0, whole, 1e-5), Cost::Zcdp { nano_rho: 0 });
        let half = Cost::rho(zcdp::rho(1.0, 1e-5) / 2.0);
        let rest = left(1.0, half, 1e-5).as_rho().unwrap();
        assert!((rest - half.as_rho().unwrap()).abs() < 3e-9);
        assert_eq!(left(1.0, Cost::Unbounded, 1e-5), Cost::default());
    }
}
