//! Messages of one sender, by the round in which they were sent.

use std::collections::BTreeMap;

use dpsda::learner::Message;

use crate::entry::Entry;

/// The number of messages of one sender that are kept. On graphs that change, a node that hears nobody for a while may be some
/// rounds ahead of the nodes it sends to. Beyond this number, the newest message replaces the earlier ones.
const KEPT: usize = 64;

/// A received message: the part for the learner, and the entries to pass on from the next round on.
#[derive(Clone)]
pub(super) struct HeardMessage {
    pub(super) message: Message,
    pub(super) entries: Vec<Entry>,
}

#[derive(Clone, Default)]
pub(super) struct Hand(BTreeMap<u64, HeardMessage>);

impl Hand {
    /// Keeps the first message of each round: an honest sender only repeats it.
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

    /// Whether the sender has been heard in round `t` or later.
    pub(super) fn has(&self, t: u64) -> bool {
        self.0.range(t..).next().is_some()
    }

    /// Whether its message of round `t` has been heard.
    pub(super) fn has_exactly(&self, t: u64) -> bool {
        self.0.contains_key(&t)
    }

    /// The message that counts in round `t`. If the sender is expected, that is the message of this round or the first later one.
    /// Otherwise it is the newest earlier one, which may still bring news.
    pub(super) fn of(&self, t: u64, expected: bool) -> Option<&HeardMessage> {
        let then = self.0.range(t..).next().filter(|(round, _)| expected || **round == t);
        then.or_else(|| self.0.range(..t).next_back()).map(|(_, heard)| heard)
    }

    pub(super) fn drop_until(&mut self, t: u64) {
        self.0 = self.0.split_off(&(t + 1));
    }
}
