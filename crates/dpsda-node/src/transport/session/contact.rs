//! One peer: its links, and the messages that wait for it.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use super::Limits;
use super::outbox::Outbox;
use crate::transport::bucket::Bucket;
use crate::transport::link::{Link, Parting};

pub(super) struct Contact<L> {
    pub(super) outbox: Outbox,
    /// The limit on how many messages it may send.
    pub(super) rate: Mutex<Bucket>,
    /// The limit on the bytes of its messages that are in memory while they are read.
    pub(super) room: Semaphore,
    /// How many of its links the peer has sent messages on.
    pub(super) used: AtomicU64,
    pair: Mutex<LinkPair<L>>,
    /// The newest link, to which messages go.
    newest: watch::Sender<Option<Numbered<L>>>,
}

/// Which side made a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Dialled,
    Accepted,
}

/// At most one link that this node dialled, and one that the peer dialled.
struct LinkPair<L> {
    dialled: Option<Numbered<L>>,
    accepted: Option<Numbered<L>>,
    made: u64,
}

pub(super) struct Numbered<L> {
    pub(super) link: Arc<L>,
    number: u64,
}

impl<L> Clone for Numbered<L> {
    fn clone(&self) -> Self {
        Self { link: Arc::clone(&self.link), number: self.number }
    }
}

impl<L> LinkPair<L> {
    fn side(&mut self, side: Side) -> &mut Option<Numbered<L>> {
        match side {
            Side::Dialled => &mut self.dialled,
            Side::Accepted => &mut self.accepted,
        }
    }

    fn both(&self) -> impl Iterator<Item = &Numbered<L>> {
        [&self.dialled, &self.accepted].into_iter().flatten()
    }

    fn newest(&self) -> Option<Numbered<L>> {
        self.both().max_by_key(|link| link.number).cloned()
    }
}

impl<L: Link> Contact<L> {
    pub(super) fn new(limits: &Limits, longest: usize) -> Self {
        let room = (2 * longest).min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
        Self {
            outbox: Outbox::new(limits.queue, 2 * longest),
            rate: Mutex::new(Bucket::new(limits.messages, limits.messages / 10.0, Instant::now())),
            room: Semaphore::new(room),
            used: AtomicU64::new(0),
            pair: Mutex::new(LinkPair { dialled: None, accepted: None, made: 0 }),
            newest: watch::Sender::new(None),
        }
    }

    fn pair(&self) -> MutexGuard<'_, LinkPair<L>> {
        self.pair.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_linked(&self) -> bool {
        self.newest.borrow().is_some()
    }

    pub(super) fn links(&self) -> Vec<Arc<L>> {
        self.pair().both().map(|link| Arc::clone(&link.link)).collect()
    }

    /// The newest link, now and later.
    pub(super) fn newest(&self) -> watch::Receiver<Option<Numbered<L>>> {
        self.newest.subscribe()
    }

    /// Uses this link from now on. An older link of the same side is closed. `tell` runs under the lock, so that links are
    /// reported in the order in which they come and go.
    pub(super) fn link(&self, side: Side, link: &Arc<L>, tell: impl FnOnce()) -> u64 {
        let mut pair = self.pair();
        pair.made += 1;
        let number = pair.made;
        if let Some(old) = pair.side(side).replace(Numbered { link: Arc::clone(link), number }) {
            old.link.close(Parting::Replaced);
        }
        self.show(pair.newest());
        tell();
        number
    }

    /// Removes a link that has ended. Calls `tell` if it was the last one.
    pub(super) fn unlink(&self, side: Side, number: u64, tell: impl FnOnce()) {
        let mut pair = self.pair();
        let place = pair.side(side);
        if place.as_ref().is_none_or(|link| link.number != number) {
            return; // a newer link has replaced it
        }
        *place = None;
        let newest = pair.newest();
        let last = newest.is_none();
        self.show(newest);
        if last {
            tell();
        }
    }

    /// Wakes waiting tasks only if the newest link changed: the end of an older link must not interrupt a message that is being
    /// sent.
    fn show(&self, newest: Option<Numbered<L>>) {
        let number = |link: &Option<Numbered<L>>| link.as_ref().map(|link| link.number);
        self.newest.send_if_modified(|shown| {
            let other = number(shown) != number(&newest);
            *shown = newest;
            other
        });
    }
}
