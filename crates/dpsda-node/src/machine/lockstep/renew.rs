//! Restart from an old copy of the store, in lock-step. The sums that the node has since put on its links cannot be rebuilt. So
//! a node that averages pays for the lost releases and sends nothing from then on, also after a restart. A node that relays
//! pays and begins a new epoch, as with free rounds.

use super::{Lockstep, Phase};
use crate::entry::Entry;
use crate::machine::Todo;

impl Lockstep {
    /// Handles a release of this node that is not in its store.
    pub(super) fn overtaken(&mut self, entry: Entry) -> Vec<Todo> {
        let mut todo: Vec<Todo> = self.lives.heard(entry).into_iter().collect();
        let writing =
            matches!(self.phase, Phase::Beginning | Phase::Storing | Phase::Closing | Phase::Paying);
        if !writing {
            todo.extend(self.renew());
        }
        todo
    }

    pub(super) fn renew(&mut self) -> Vec<Todo> {
        let (own, here) = (self.own(), (self.epoch, self.round));
        let begun = self.lives.renew(&mut self.learning, here, own, self.terms.unit);
        self.said.clear();
        self.phase = if begun.is_some() { Phase::Paying } else { Phase::Stopped };
        let Some((epoch, next)) = begun else { return Vec::new() };
        self.epoch = epoch;
        if self.relays() {
            self.round = next - 1; // as if it had been learned from
        }
        self.store()
    }
}
