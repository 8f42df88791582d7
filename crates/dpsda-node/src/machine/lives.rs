//! Other lives of a node. A life is the history of releases in one store. A node that restarts with an old copy of its store, or
//! without its store, pays for the releases it has lost and begins a new epoch.
//!
//! Suppose a peer shows a release that this node's key has signed, but that is not in its store. Then another life made it: only
//! this key can sign, so no peer can invent one. A store does not show where the two lives parted, because the node may have been
//! restarted since. So all rounds that this epoch may have released before the new one begins are charged once more. They are
//! charged once more again for every epoch in between, because another life was the cause of each of them. Later releases of
//! another life are charged when a peer shows them.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::mem;

use dpsda::learner::Replica;

use super::{Learning, Todo, at};
use crate::entry::{Digest, Entry};

mod paid;

use paid::Paid;

/// The number of releases that are remembered. Peers show a node its lost releases as soon as they connect, so a node with an old
/// store makes only a few releases before it hears of them.
const KEPT: usize = 1 << 16;

/// A process begins at most this many new epochs for releases of its own epoch or a later one. After that, the cause is not an old
/// store but another process with the same key. The two would answer each other with new epochs until the budget is spent.
///
/// New epochs for releases of an *older* epoch are not counted. Peers may hold many different ones, and each peer shows its own. Of
/// two processes with one key, one always hears of an epoch that is not older than its own, and that one halts.
const MOST: u32 = 3;

/// What the node knows of its own life and of other lives.
#[derive(Default)]
pub(super) struct OtherLives {
    /// The releases of this life, by epoch and version.
    made: BTreeMap<(u64, u64), Digest>,
    /// Releases of other lives that are not charged yet: the newest of each epoch.
    lost: BTreeMap<u64, Entry>,
    /// What is charged already.
    paid: Paid,
    /// The number of epochs that this process has begun, as [`MOST`] counts them.
    begun: u32,
}

impl OtherLives {
    /// Remembers a release of this life.
    pub(super) fn make(&mut self, epoch: u64, version: u64, digest: Digest) {
        self.made.insert((epoch, version), digest);
        while self.made.len() > KEPT {
            self.made.pop_first();
        }
    }

    /// Whether another life made this entry of this node's block, and it is not charged yet. An entry older than all remembered
    /// releases of its epoch counts as this life's own. `begun` is the first round of this epoch.
    pub(super) fn is_foreign(&self, entry: &Entry, epoch: u64, begun: u64) -> bool {
        let (its, version) = at(entry);
        let made = self.made.get(&(its, version)).map(|made| *made == entry.digest());
        match (made, its.cmp(&epoch)) {
            (Some(true), _) => false,
            (_, Ordering::Less) => version > self.paid.until(its, begun),
            (Some(false), _) | (None, Ordering::Greater) => true,
            (None, Ordering::Equal) => {
                let first = self.made.range((epoch, 0)..).next();
                version > first.map_or(0, |((_, version), _)| *version)
            }
        }
    }

    /// Remembers a release of another life. Reports it if it is newer than those known of its epoch.
    pub(super) fn heard(&mut self, entry: Entry) -> Option<Todo> {
        let (epoch, version) = at(&entry);
        if self.lost.get(&epoch).is_some_and(|known| known.content.version >= version) {
            return None;
        }
        self.lost.insert(epoch, entry.clone());
        Some(Todo::Overtaken(Box::new(entry)))
    }

    /// Whether releases of other lives wait to be charged.
    pub(super) fn waiting(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Charges the learner for the lost releases and begins a new epoch, from the other life's block or its own, whichever is
    /// newer. Returns the new epoch and its first round, or None if no epoch may begin. A learner without blocks only pays.
    pub(super) fn renew(
        &mut self,
        learning: &mut Learning,
        (epoch, round): (u64, u64),
        own: Option<Replica>,
        unit: f64,
    ) -> Option<(u64, u64)> {
        let lost = mem::take(&mut self.lost);
        let newest = *lost.keys().next_back()?;
        let entry = lost.values().max_by_key(|entry| entry.content.version)?;
        let version = entry.content.version;
        let own = own.map(|own| if version >= own.version { entry.copy(unit) } else { own });
        let counts = newest >= epoch && own.is_some();
        if counts && self.begun >= MOST {
            return None;
        }
        self.begun += u32::from(counts);
        let next = round.max(own.as_ref().map_or(version, |own| own.version)).max(1);
        let lives = self.paid.pay((epoch, learning.begun()), next, &lost);
        newest
            .max(epoch)
            .checked_add(1)
            .filter(|_| learning.renew(own, next, lives))
            .map(|begun| (begun, next))
    }
}
