//! Delivers messages: at once, late, or never.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Said;
use crate::learner::{Learner, Message};
use crate::network::transit::Transit;

/// Messages on their way: at most those of one round more than the longest delay.
pub(super) struct Delivery {
    transit: Transit,
    /// For this round and each of the next ones: the messages that arrive and their receivers, in the order of sending.
    flying: VecDeque<Vec<(usize, Arc<Message>)>>,
}

impl Delivery {
    /// Nothing on its way yet.
    pub(super) fn new(transit: Transit) -> Self {
        let slots = transit.longest() as usize + 1;
        Self { transit, flying: (0..slots).map(|_| Vec::new()).collect() }
    }

    /// All learners listen: information moves at most one hop per round. An inbox is in order of senders, and for each sender in
    /// order of rounds.
    pub(super) fn deliver(&mut self, learners: &mut [Box<dyn Learner>], said: &Said) {
        let t = said.round;
        for (i, message) in said.messages.iter().enumerate().take(said.graph.nodes()) {
            for &to in said.graph.out(i) {
                let late = self.transit.arrival(t, i, to).map(|arrival| (arrival - t) as usize);
                if let Some(slot) = late.and_then(|late| self.flying.get_mut(late)) {
                    slot.push((to, Arc::clone(message)));
                }
            }
        }
        let mut arrived = self.flying.pop_front().unwrap_or_default();
        arrived.sort_by_key(|(_, message)| message.from.node); // stable
        let mut inboxes: Vec<Vec<&Message>> = vec![Vec::new(); learners.len()];
        for (to, message) in &arrived {
            if let Some(inbox) = inboxes.get_mut(*to) {
                inbox.push(message);
            }
        }
        learners.iter_mut().zip(inboxes).for_each(|(l, inbox)| l.listen(t, &inbox));
        self.flying.push_back(Vec::new());
    }

    /// How many messages are on their way.
    pub(super) fn under_way(&self) -> usize {
        self.flying.iter().map(Vec::len).sum()
    }
}
