//! Back with an old store, in step. What was put on links since cannot be rebuilt. So a node that averages pays for what it forgot
//! and says nothing from then on, also after a restart. A node that relays pays and begins a new epoch, as in free rounds.

use super::{Lockstep, Phase};
use crate::entry::Entry;
use crate::machine::Todo;

impl Lockstep {
    /// Another life of this node has released more than its store knows of.
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
