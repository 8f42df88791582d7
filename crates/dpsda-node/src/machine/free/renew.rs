//! Copies of this node's own block that peers hold.

use super::FreeRounds;
use crate::entry::Entry;
use crate::frame::Refusal;
use crate::machine::Todo;

impl FreeRounds {
    /// Takes in an entry of this node's own block that a peer passed on.
    pub(super) fn take_own(&mut self, entry: Entry) -> Result<Option<Todo>, Refusal> {
        if self.stopped {
            return Ok(None);
        }
        let epoch = self.storing.as_ref().map_or(self.epoch, |record| record.epoch);
        if !self.lives.is_foreign(&entry, epoch, self.learning.begun()) {
            return Ok(None); // known already
        }
        if !entry.is_by(&self.terms.identity.public(), &self.terms.manifest) {
            return Err(Refusal::BadSignature);
        }
        Ok(self.lives.heard(entry))
    }

    /// Begins a new epoch. Peers order entries by epoch first, so they accept it. The epoch and its charge are durable before
    /// any peer sees it.
    pub(super) fn renew(&mut self) -> Vec<Todo> {
        let (own, here) = (self.learning.own(), (self.epoch, self.round));
        let Some((epoch, next)) = self.lives.renew(&mut self.learning, here, own, self.terms.unit) else {
            self.stopped = true; // it still relays and decides
            return Vec::new();
        };
        self.listen(next - 1);
        self.store(epoch, next - 1)
    }
}
