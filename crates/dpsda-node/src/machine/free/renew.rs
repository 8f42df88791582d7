//! Other lives of this node: whoever comes back with an old store, or with none, begins a new epoch and pays for what it forgot.
//!
//! A release that is signed by this node's key and was not made by it was made by a life that its store knows nothing of. Only the
//! node itself can sign, so nobody can make it believe that. Nothing in a store tells where the two lives parted: it may have been
//! restarted since. So everything that this epoch may have released before the new one begins is charged once more, and once more
//! for every epoch between: each was begun because of such a life. What the other life released beyond that may be heard of later,
//! and begins another epoch.

use std::collections::BTreeMap;

use super::Free;
use crate::entry::{Digest, Entry};
use crate::frame::Refusal;
use crate::machine::Todo;

/// More releases than this are not kept in mind. Peers show an old store what they know as soon as they are connected, so what it
/// makes before it hears of itself is a few rounds.
const KEPT: usize = 1 << 16;

/// A life that has begun so many epochs begins no more: what it hears of is no old store but another process with the same key, and
/// the two would answer each other with epoch after epoch until nothing is left of the budget.
const MOST: u32 = 3;

/// The releases that this life has made in its epoch, by version.
#[derive(Default)]
pub(super) struct Made(BTreeMap<u64, Digest>);

impl Made {
    pub(super) fn add(&mut self, version: u64, digest: Digest) {
        self.0.insert(version, digest);
        while self.0.len() > KEPT {
            self.0.pop_first();
        }
    }

    /// Whether a release of this epoch is another life's. What is older than all that is kept is taken for this one's.
    fn lacks(&self, version: u64, digest: Digest) -> bool {
        let oldest = self.0.keys().next().copied().unwrap_or(0);
        match self.0.get(&version) {
            Some(made) => *made != digest,
            None => version > oldest,
        }
    }
}

/// What other lives have released.
pub(super) struct Lost {
    /// The newest epoch of all that was heard.
    epoch: u64,
    /// The newest version.
    entry: Entry,
}

impl Free {
    /// An entry of this node's own block that a peer passed on.
    pub(super) fn take_own(&mut self, entry: Entry) -> Result<Option<Todo>, Refusal> {
        if self.stopped {
            return Ok(None);
        }
        let claim = &entry.claim;
        let epoch = self.storing.as_ref().map_or(self.epoch, |record| record.epoch);
        let foreign = match claim.epoch.cmp(&epoch) {
            // Before it began this epoch it charged all versions up to there.
            std::cmp::Ordering::Less => claim.version > self.learner.begun(),
            std::cmp::Ordering::Equal => self.made.lacks(claim.version, entry.digest()),
            std::cmp::Ordering::Greater => true,
        };
        if !foreign {
            return Ok(None); // old news
        }
        if !entry.is_by(&self.terms.identity.public(), &self.terms.manifest) {
            return Err(Refusal::BadSignature);
        }
        let told = Todo::Overtaken(Box::new(entry.clone()));
        let lost = self.lost.take();
        let epoch = lost.as_ref().map_or(0, |lost| lost.epoch).max(entry.claim.epoch);
        let newest = lost.map(|lost| lost.entry).filter(|old| old.claim.version >= entry.claim.version);
        self.lost = Some(Lost { epoch, entry: newest.unwrap_or(entry) });
        Ok(Some(told))
    }

    /// Begins a new epoch from the newer of what another life released and what this one did; peers order by epoch first, so they
    /// take it. Nobody sees it before it is durable, with its price.
    pub(super) fn renew(&mut self, lost: Lost) -> Vec<Todo> {
        let Lost { epoch, entry } = lost;
        let mut own = self.own();
        if entry.claim.version >= own.version {
            own = entry.copy(self.terms.unit);
        }
        let lives = epoch.saturating_sub(self.epoch).saturating_add(1);
        let next = self.round.max(own.version).max(1);
        let epoch = epoch.max(self.epoch).checked_add(1).filter(|_| self.renewed < MOST);
        self.renewed += 1;
        let Some(epoch) = epoch.filter(|_| self.learner.renew(own, next, lives)) else {
            self.stopped = true; // relays and decides, and releases nothing
            return Vec::new();
        };
        self.made = Made::default();
        self.listen(next - 1);
        self.store(epoch, next - 1)
    }
}
