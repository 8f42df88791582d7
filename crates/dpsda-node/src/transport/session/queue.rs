//! A short queue that keeps the newest messages, limited in messages and in bytes. Messages overtake each other on the network,
//! so the sender's numbers decide which is the newest, not the order of arrival.

use std::collections::VecDeque;

/// The place of a message among those of its sender: the number of the link, and of the message on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn(pub(super) u64, pub(super) u64);

#[derive(Debug)]
pub(super) struct Queue {
    /// The messages, oldest first.
    messages: VecDeque<(Turn, Vec<u8>)>,
    bytes: usize,
    most: usize,
    most_bytes: usize,
}

impl Queue {
    /// Holds at most `most` messages and `most_bytes` bytes in total. One message always fits.
    pub(super) fn new(most: usize, most_bytes: usize) -> Self {
        Self { messages: VecDeque::new(), bytes: 0, most: most.max(1), most_bytes }
    }

    /// Adds a message. Returns how many were dropped: the oldest ones, possibly this one.
    pub(super) fn push(&mut self, turn: Turn, message: Vec<u8>) -> u64 {
        self.bytes += message.len();
        let at = self.messages.partition_point(|(other, _)| *other <= turn);
        self.messages.insert(at, (turn, message));
        let mut gone = 0;
        while self.messages.len() > 1 && (self.messages.len() > self.most || self.bytes > self.most_bytes) {
            self.pop();
            gone += 1;
        }
        gone
    }

    /// Takes the oldest message.
    pub(super) fn pop(&mut self) -> Option<Vec<u8>> {
        let (_, message) = self.messages.pop_front()?;
        self.bytes -= message.len();
        Some(message)
    }

    /// Drops all messages, and returns how many.
    pub(super) fn clear(&mut self) -> u64 {
        let gone = self.messages.len() as u64;
        self.messages.clear();
        self.bytes = 0;
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_stay_whether_messages_or_bytes_run_out() {
        let mut queue = Queue::new(3, 100);
        let gone: Vec<u64> = (0..5).map(|k| queue.push(Turn(0, k.into()), vec![k; 10])).collect();
        assert_eq!(gone, [0, 0, 0, 1, 1]);
        assert_eq!(queue.push(Turn(0, 5), vec![9; 85]), 2);
        assert_eq!(queue.pop(), Some(vec![4; 10]));
        assert_eq!(queue.push(Turn(0, 6), vec![8; 1000]), 1, "one fits whatever its size");
        assert_eq!(queue.push(Turn(0, 7), vec![7; 1]), 1);
        assert_eq!(queue.pop(), Some(vec![7; 1]));
        assert_eq!((queue.pop(), queue.bytes), (None, 0));
        queue.push(Turn(0, 8), vec![0; 10]);
        assert_eq!((queue.clear(), queue.clear(), queue.bytes), (1, 0, 0));
    }

    #[test]
    fn a_message_that_was_overtaken_does_not_push_out_newer_ones() {
        let mut queue = Queue::new(2, 100);
        let gone: Vec<u64> = [7, 3, 9, 4, 1].map(|k| queue.push(Turn(0, k), vec![k as u8])).into();
        assert_eq!(gone, [0, 0, 1, 1, 1]);
        assert_eq!(queue.push(Turn(1, 0), vec![99]), 1, "a newer connection");
        assert_eq!([queue.pop(), queue.pop(), queue.pop()], [Some(vec![9]), Some(vec![99]), None]);
    }
}
