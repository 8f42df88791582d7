//! The last messages to one peer.

use std::collections::VecDeque;

/// The number of rounds whose messages are kept. On links that go both ways, a node is at most one round ahead of its peer.
const KEPT: usize = 2;

/// The messages of the last rounds, oldest first.
///
/// A peer that restarts may be in the round before this one, and has lost what it heard in it. A later message would serve. But
/// only the message of its own round makes it decide what it would have decided without the restart.
#[derive(Clone, Default)]
pub(super) struct Said(VecDeque<(u64, Vec<u8>)>);

impl Said {
    /// Keeps the message of a round.
    pub(super) fn add(&mut self, round: u64, bytes: Vec<u8>) {
        self.0.retain(|(before, _)| *before < round);
        self.0.push_back((round, bytes));
        let over = self.0.len().saturating_sub(KEPT);
        self.0.drain(..over);
    }

    /// The newest one.
    pub(super) fn newest(&self) -> Option<&Vec<u8>> {
        self.0.back().map(|(_, bytes)| bytes)
    }

    /// All that a peer in this round may need, oldest first; at least the newest.
    pub(super) fn since(&self, round: u64) -> impl Iterator<Item = &Vec<u8>> {
        let last = self.0.len().saturating_sub(1);
        self.0.iter().enumerate().filter(move |(k, (then, _))| *then >= round || *k == last).map(|(_, (_, b))| b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_is_one_round_behind_is_sent_two_messages_and_others_the_newest() {
        let mut said = Said::default();
        (3..6).for_each(|round| said.add(round, vec![round as u8]));
        let since = |round| said.since(round).map(|bytes| bytes[0]).collect::<Vec<_>>();
        assert_eq!((since(0), since(4), since(5), since(9)), (vec![4, 5], vec![4, 5], vec![5], vec![5]));
        assert_eq!(said.newest(), Some(&vec![5]));
        said.add(5, vec![55]);
        assert_eq!(said.since(0).cloned().collect::<Vec<_>>(), [vec![4], vec![55]], "one per round");
    }
}
