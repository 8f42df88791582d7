//! Messages that wait to be sent to one peer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use super::queue::{Queue, Turn};

#[derive(Debug)]
pub(super) struct Outbox {
    queue: Mutex<Queue>,
    taken: AtomicU64,
    woken: Notify,
}

impl Outbox {
    pub(super) fn new(most: usize, most_bytes: usize) -> Self {
        Self {
            queue: Mutex::new(Queue::new(most, most_bytes)),
            taken: AtomicU64::new(0),
            woken: Notify::new(),
        }
    }

    /// Adds a message. Returns how many older ones were dropped.
    pub(super) fn push(&self, message: Vec<u8>) -> u64 {
        let turn = Turn(0, self.taken.fetch_add(1, Ordering::Relaxed));
        let gone = self.queue.lock().unwrap_or_else(PoisonError::into_inner).push(turn, message);
        self.woken.notify_one();
        gone
    }

    /// The oldest message, as soon as there is one. Only one task may wait here.
    pub(super) async fn next(&self) -> Vec<u8> {
        loop {
            let woken = self.woken.notified();
            if let Some(message) = self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop() {
                return message;
            }
            woken.await;
        }
    }

    /// Drops all messages, and returns how many.
    pub(super) fn clear(&self) -> u64 {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).clear()
    }
}
