//! A short queue in which the newest wins: bounded in messages and in bytes.

use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Queue {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    most: usize,
    most_bytes: usize,
}

impl Queue {
    /// At most so many messages, of so many bytes in all. One message always fits.
    pub(super) fn new(most: usize, most_bytes: usize) -> Self {
        Self { messages: VecDeque::new(), bytes: 0, most: most.max(1), most_bytes }
    }

    /// Takes a message in, and says how many older ones had to go.
    pub(super) fn push(&mut self, message: Vec<u8>) -> u64 {
        let mut gone = 0;
        let fits = |queue: &Self| {
            queue.messages.len() < queue.most && queue.bytes + message.len() <= queue.most_bytes
        };
        while !fits(self) && self.pop().is_some() {
            gone += 1;
        }
        self.bytes += message.len();
        self.messages.push_back(message);
        gone
    }

    /// The oldest.
    pub(super) fn pop(&mut self) -> Option<Vec<u8>> {
        let message = self.messages.pop_front()?;
        self.bytes -= message.len();
        Some(message)
    }

    /// Drops all, and says how many.
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
        let gone: Vec<u64> = (0..5).map(|k| queue.push(vec![k; 10])).collect();
        assert_eq!(gone, [0, 0, 0, 1, 1]);
        assert_eq!(queue.push(vec![9; 85]), 2);
        assert_eq!(queue.pop(), Some(vec![4; 10]));
        assert_eq!(queue.push(vec![8; 1000]), 1, "one fits whatever its size");
        assert_eq!(queue.push(vec![7; 1]), 1);
        assert_eq!(queue.pop(), Some(vec![7; 1]));
        assert_eq!((queue.pop(), queue.bytes), (None, 0));
        queue.push(vec![0; 10]);
        assert_eq!((queue.clear(), queue.clear(), queue.bytes), (1, 0, 0));
    }
}
