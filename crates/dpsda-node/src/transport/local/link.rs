//! A link between two nodes of one process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::air::{Air, Callers, Port};
use crate::identity::PublicKey;
use crate::transport::Unreached;
use crate::transport::link::{Carrier, Incoming, Link, Lost, Parting, Proved, Unread};

/// Messages that may be in flight in one direction.
const UNDER_WAY: usize = 32;

/// One instance of a node on the network.
pub(super) struct LocalCarrier {
    air: Arc<Air>,
    me: usize,
    life: u64,
    key: PublicKey,
    idle: Duration,
    /// Whether the node has said goodbye.
    parted: Arc<AtomicBool>,
    callers: tokio::sync::Mutex<Callers>,
}

impl LocalCarrier {
    /// Joins the network.
    pub(super) fn join(air: Arc<Air>, me: usize, key: PublicKey, idle: Duration) -> Self {
        let parted = Arc::new(AtomicBool::new(false));
        let (life, callers) = air.join(me, key, idle, Arc::clone(&parted));
        Self { air, me, life, key, idle, parted, callers: tokio::sync::Mutex::new(callers) }
    }

    /// Leaves the network: no node can reach it from now on.
    pub(super) fn leave(&self) {
        self.air.leave(self.me, self.life);
    }
}

impl Carrier for LocalCarrier {
    type Link = LocalLink;
    type Guest = Proved<LocalLink>;

    async fn dial(&self, peer: usize) -> Result<Proved<LocalLink>, Unreached> {
        let Port { key, idle, parted, door, .. } =
            self.air.reach(self.me, self.life, peer).ok_or(Unreached::Silent)?;
        let ((to_them, from_us), (to_us, from_them)) = (mpsc::channel(UNDER_WAY), mpsc::channel(UNDER_WAY));
        let tie = Arc::new(Tie(Mutex::new(TieState::Whole)));
        let end = |from, to, idle, parted, out, into| LocalLink {
            air: Arc::clone(&self.air),
            tie: Arc::clone(&tie),
            from,
            to,
            idle,
            parted,
            greeted: AtomicBool::new(false),
            out,
            into: tokio::sync::Mutex::new(into),
        };
        let ours = end(self.me, peer, self.idle, Arc::clone(&self.parted), to_them, from_them);
        let theirs = end(peer, self.me, idle, parted, to_us, from_us);
        door.send(Proved { key: self.key, link: theirs }).map_err(|_| Unreached::Silent)?;
        Ok(Proved { key, link: ours })
    }

    async fn accept(&self) -> Option<Proved<LocalLink>> {
        self.callers.lock().await.recv().await
    }

    async fn welcome(&self, caller: Proved<LocalLink>) -> Option<Proved<LocalLink>> {
        Some(caller)
    }

    async fn close(&self) {
        self.parted.store(true, Ordering::Relaxed);
        self.leave();
    }
}

/// What both ends of a link share.
struct Tie(Mutex<TieState>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TieState {
    Whole,
    /// One end has vanished without closing it.
    Torn(Instant),
    /// One end has closed it.
    Closed,
}

impl Tie {
    fn get(&self) -> TieState {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: TieState) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// One end of a link.
pub(super) struct LocalLink {
    air: Arc<Air>,
    tie: Arc<Tie>,
    from: usize,
    to: usize,
    idle: Duration,
    /// Whether the node at this end has said goodbye.
    parted: Arc<AtomicBool>,
    /// Whether the greeting is over, so that messages may be lost or delayed.
    greeted: AtomicBool,
    out: mpsc::Sender<Parcel>,
    into: tokio::sync::Mutex<mpsc::Receiver<Parcel>>,
}

/// A message in flight.
pub(super) struct Parcel {
    air: Arc<Air>,
    link: (usize, usize),
    arrives: Instant,
    bytes: Vec<u8>,
}

impl LocalLink {
    /// When this end will consider the link dead, if nothing changes.
    fn dead_at(&self) -> Option<Instant> {
        let torn = match self.tie.get() {
            TieState::Torn(since) => Some(since),
            TieState::Whole | TieState::Closed => None,
        };
        let since = torn.into_iter().chain(self.air.cut_since(self.from, self.to)).min();
        since.and_then(|since| since.checked_add(self.idle))
    }

    async fn put(&self, message: &[u8], arrives: Instant) -> Result<(), Lost> {
        let (air, link) = (Arc::clone(&self.air), (self.from, self.to));
        let parcel = Parcel { air, link, arrives, bytes: message.to_vec() };
        let _ = self.out.send(parcel).await; // a crashed peer receives nothing, and the sender does not notice
        if self.tie.get() == TieState::Closed { Err(Lost) } else { Ok(()) }
    }
}

impl Link for LocalLink {
    type Incoming = Parcel;

    async fn send(&self, message: &[u8]) -> Result<(), Lost> {
        if !self.greeted.load(Ordering::Relaxed) {
            return self.deliver(message).await;
        }
        for arrives in self.air.arrivals(self.from, self.to) {
            self.put(message, arrives).await?;
        }
        Ok(())
    }

    async fn deliver(&self, message: &[u8]) -> Result<(), Lost> {
        self.put(message, Instant::now()).await
    }

    async fn next(&self) -> Option<Parcel> {
        let mut changes = self.air.changes();
        let mut into = self.into.lock().await;
        let mut open = true;
        loop {
            if let Ok(parcel) = into.try_recv() {
                return Some(parcel); // also a message sent just before the link was closed
            }
            if self.tie.get() == TieState::Closed {
                return None;
            }
            let dead_at = self.dead_at();
            tokio::select! {
                biased;
                parcel = into.recv(), if open => match parcel {
                    Some(parcel) => return Some(parcel),
                    None => open = false,
                },
                () = sleep_until(dead_at.unwrap_or_else(Instant::now)), if dead_at.is_some() => return None,
                _ = changes.changed() => {}
            }
        }
    }

    fn greeted(&self) {
        self.greeted.store(true, Ordering::Relaxed);
    }

    fn close(&self, _why: Parting) {
        self.tie.set(TieState::Closed);
        self.air.change();
    }
}

impl Drop for LocalLink {
    fn drop(&mut self) {
        if self.tie.get() == TieState::Whole {
            // A goodbye reaches links that have not been greeted, too.
            let parted = self.parted.load(Ordering::Relaxed);
            self.tie.set(if parted { TieState::Closed } else { TieState::Torn(Instant::now()) });
            self.air.change();
        }
    }
}

impl Incoming for Parcel {
    async fn length(&mut self) -> Result<usize, Unread> {
        Ok(self.bytes.len())
    }

    async fn bytes(&mut self) -> Result<Vec<u8>, Unread> {
        sleep_until(self.arrives).await;
        let (from, to) = self.link;
        if self.air.is_cut(from, to) { Err(Unread::Lost) } else { Ok(std::mem::take(&mut self.bytes)) }
    }
}
