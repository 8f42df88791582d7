//! What this life has released itself, and what of its own block is another life's.

use std::collections::BTreeMap;

use super::Free;
use crate::entry::{Digest, Entry};
use crate::frame::Refusal;
use crate::machine::Todo;

/// More releases than this are not kept in mind. Peers show an old store what they know as soon as they are connected, so what it
/// makes before it hears of itself is a few rounds.
const KEPT: usize = 1 << 16;

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
        Ok(self.lives.heard(entry))
    }

    /// Begins a new epoch; peers order by epoch first, so they take it. Nobody sees it before it is durable, with its price.
    pub(super) fn renew(&mut self) -> Vec<Todo> {
        let (own, here) = (self.own(), (self.epoch, self.round));
        let Some((epoch, next)) = self.lives.renew(&mut *self.learner, here, Some(own), self.terms.unit) else {
            self.stopped = true; // relays and decides, and releases nothing
            return Vec::new();
        };
        self.made = Made::default();
        self.listen(next - 1);
        self.store(epoch, next - 1)
    }
}
