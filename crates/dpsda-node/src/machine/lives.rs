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

use dpsda::learner::Replica;

use super::{Learning, Todo};
use crate::entry::{Digest, Entry};

/// The number of releases that are remembered. Peers show a node its lost releases as soon as they connect, so a node with an old
/// store makes only a few releases before it hears of them.
const KEPT: usize = 1 << 16;

/// A process begins at most this many new epochs. After that, the cause is not an old store but another process with the same
/// key. The two would answer each other with new epochs until the budget is spent.
const MOST: u32 = 3;

/// What the node knows of its own life and of other lives.
#[derive(Default)]
pub(super) struct OtherLives {
    /// The releases of this life in its epoch, by version.
    made: BTreeMap<u64, Digest>,
    /// Releases of other lives that are not charged yet: the newest epoch heard of, and the newest entry.
    lost: Option<(u64, Entry)>,
    /// The number of epochs that this process has begun.
    begun: u32,
}

impl OtherLives {
    /// Remembers a release of this life.
    pub(super) fn make(&mut self, version: u64, digest: Digest) {
        self.made.insert(version, digest);
        while self.made.len() > KEPT {
            self.made.pop_first();
        }
    }

    /// Whether another life made this entry of this node's block, and it is not charged yet. An entry older than all remembered
    /// releases counts as this life's own.
    pub(super) fn is_foreign(&self, entry: &Entry, epoch: u64, begun: u64) -> bool {
        let version = entry.content.version;
        match entry.content.epoch.cmp(&epoch) {
            Ordering::Less => version > begun,
            Ordering::Greater => true,
            Ordering::Equal => match self.made.get(&version) {
                Some(made) => *made != entry.digest(),
                None => version > self.made.keys().next().copied().unwrap_or(0),
            },
        }
    }

    /// Remembers a release of another life. Reports it if it is newer than those known before.
    pub(super) fn heard(&mut self, entry: Entry) -> Option<Todo> {
        let (epoch, version) = (entry.content.epoch, entry.content.version);
        if let Some((newest, old)) = &mut self.lost {
            *newest = epoch.max(*newest);
            if old.content.version >= version {
                return None;
            }
        }
        let newest = self.lost.as_ref().map_or(epoch, |(newest, _)| *newest);
        self.lost = Some((newest, entry.clone()));
        Some(Todo::Overtaken(Box::new(entry)))
    }

    /// Whether releases of other lives wait to be charged.
    pub(super) fn waiting(&self) -> bool {
        self.lost.is_some()
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
        let (newest, entry) = self.lost.take()?;
        let version = entry.content.version;
        let own = own.map(|own| if version >= own.version { entry.copy(unit) } else { own });
        if own.is_some() && self.begun >= MOST {
            return None;
        }
        self.begun += 1;
        let next = round.max(own.as_ref().map_or(version, |own| own.version)).max(1);
        let lives = newest.saturating_sub(epoch).saturating_add(1);
        let begun = newest.max(epoch).checked_add(1).filter(|_| learning.renew(own, next, lives))?;
        self.made.clear();
        Some((begun, next))
    }
}
