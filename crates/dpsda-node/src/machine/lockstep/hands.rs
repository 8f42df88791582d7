//! Messages of one sender, by the round they were said in.

use std::collections::BTreeMap;

use dpsda::learner::Message;

use crate::entry::Entry;

/// So many messages of one sender are kept. On graphs that change, a node that hears nobody for a while may be some rounds ahead
/// of the nodes it tells. Beyond that, the newest message stands for the earlier ones.
const KEPT: usize = 64;

/// A message: what the learner takes, and what is passed on from the next round on.
#[derive(Clone)]
pub(super) struct HeardMessage {
    pub(super) message: Message,
    pub(super) entries: Vec<Entry>,
}

#[derive(Clone, Default)]
pub(super) struct Hand(BTreeMap<u64, HeardMessage>);

impl Hand {
    /// What was said of a round first is kept: an honest sender says the same again.
    pub(super) fn take(&mut self, round: u64, heard: HeardMessage) {
        if self.0.contains_key(&round) {
            return;
        }
        if self.0.len() >= KEPT {
            if self.0.keys().next_back().is_some_and(|newest| *newest > round) {
                return;
            }
            self.0.pop_last();
        }
        self.0.insert(round, heard);
    }

    /// Whether its sender has been heard in round `t`, or later.
    pub(super) fn has(&self, t: u64) -> bool {
        self.0.range(t..).next().is_some()
    }

    /// What counts in round `t`: if it is expected then, the message of that round or the first one later; or else the newest
    /// before, which may still tell something.
    pub(super) fn of(&self, t: u64, expected: bool) -> Option<&HeardMessage> {
        let then = self.0.range(t..).next().filter(|(round, _)| expected || **round == t);
        then.or_else(|| self.0.range(..t).next_back()).map(|(_, heard)| heard)
    }

    pub(super) fn drop_until(&mut self, t: u64) {
        self.0 = self.0.split_off(&(t + 1));
    }
}
