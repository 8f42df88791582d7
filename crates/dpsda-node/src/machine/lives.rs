//! Other lives of a node. A node that comes back with an old store, or with none, pays for what it forgot and begins a new epoch.
//!
//! A release that is signed by this node's key and was not made by it was made by a life that its store knows nothing of. Only the
//! node itself can sign, so no peer can make it believe that. Nothing in a store tells where the two lives parted: it may have been
//! restarted since. So everything that this epoch may have released before the new one begins is charged once more, and once more
//! for every epoch between: each was begun because of another life. What the other life released beyond that may be heard of
//! later, and is charged then.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use dpsda::learner::Replica;

use super::{Learning, Todo};
use crate::entry::{Digest, Entry};

/// More releases than this are not kept in mind. Peers show an old store what they know as soon as they are connected, so what it
/// makes before it hears of itself is a few rounds.
const KEPT: usize = 1 << 16;

/// A life that has begun so many epochs begins no more: what it hears of is no old store but another process with the same key, and
/// the two would answer each other with epoch after epoch until nothing is left of the budget.
const MOST: u32 = 3;

/// What is known of this life and of others.
#[derive(Default)]
pub(super) struct OtherLives {
    /// The releases that this one has made in its epoch, by version.
    made: BTreeMap<u64, Digest>,
    /// What they have released, and nothing accounts for yet: the newest epoch that was heard of, and the newest version.
    lost: Option<(u64, Entry)>,
    /// Epochs that this life has begun.
    begun: u32,
}

impl OtherLives {
    /// This life releases this.
    pub(super) fn make(&mut self, version: u64, digest: Digest) {
        self.made.insert(version, digest);
        while self.made.len() > KEPT {
            self.made.pop_first();
        }
    }

    /// Whether an entry that names this node is another life's and not paid for. What is older than all that is kept in mind is
    /// taken for this one's.
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

    /// Another life released this. Says so, if it is more than was known.
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

    /// Whether something waits to be charged.
    pub(super) fn waiting(&self) -> bool {
        self.lost.is_some()
    }

    /// Has a learner pay for what waits, and begin again from the newer of what another life released and its own block. The new
    /// epoch and its first round; none if it must not begin one. A learner without blocks cannot begin again, and only pays.
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
