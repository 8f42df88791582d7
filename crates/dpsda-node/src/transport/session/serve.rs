//! Serves one link from its first message to its end.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::Shared;
use super::contact::Side;
use super::queue::Turn;
use crate::frame::{Frame, Refusal};
use crate::transport::link::{Carrier, Incoming, Link, Parting, Unread};

/// The longest greeting, in bytes.
const GREETING: usize = 128;

/// Messages of one link that are read in parallel.
const READERS: usize = 32;

/// How a link ended.
pub(super) enum Served {
    /// Both sides greeted each other.
    Spoken,
    /// They run different manifests.
    Quarrelled,
    /// No greeting took place.
    Silent,
}

/// Greets, reads until the link ends, and reports events. A caller keeps its `place` until it has greeted.
pub(super) async fn serve<C: Carrier>(
    shared: &Arc<Shared<C>>,
    peer: usize,
    side: Side,
    link: C::Link,
    place: Option<OwnedSemaphorePermit>,
) -> Served {
    let greeted = timeout(shared.limits.idle, greet(shared, peer, &link)).await;
    link.greeted();
    match greeted {
        Ok(Ok(true)) => {}
        Ok(Ok(false)) => {
            quarrel(shared, peer, &link).await;
            return Served::Quarrelled;
        }
        Ok(Err(why)) => {
            if let Unread::Refused(why) = why {
                shared.refuse(peer, why);
                link.close(Parting::NoGreeting);
            }
            return Served::Silent;
        }
        Err(_) => {
            shared.refuse(peer, Refusal::Slow);
            link.close(Parting::Silent);
            return Served::Silent;
        }
    }
    drop(place);
    let Some(contact) = shared.contacts.get(peer) else { return Served::Silent };
    let link = Arc::new(link);
    let number = contact.link(side, &link, || shared.inbox.connected(peer));
    let _end = Linked { shared, peer, side, number };
    listen(shared, peer, &*link).await;
    Served::Spoken
}

/// Removes a link when it ends, also if the task that serves it is dropped.
struct Linked<'a, C: Carrier> {
    shared: &'a Shared<C>,
    peer: usize,
    side: Side,
    number: u64,
}

impl<C: Carrier> Drop for Linked<'_, C> {
    fn drop(&mut self) {
        let Some(contact) = self.shared.contacts.get(self.peer) else { return };
        contact.unlink(self.side, self.number, || {
            self.shared.inbox.dropped(self.peer, contact.outbox.clear());
            self.shared.inbox.gone(self.peer);
        });
    }
}

/// Exchanges greetings. Returns whether the peer names the same manifest.
async fn greet<C: Carrier>(shared: &Shared<C>, peer: usize, link: &C::Link) -> Result<bool, Unread> {
    link.send(&shared.hello).await?;
    let mut first = link.next().await.ok_or(Unread::Lost)?;
    let contact = shared.contacts.get(peer).ok_or(Unread::Lost)?;
    let bytes = read(&mut first, GREETING, &contact.room).await?;
    match shared.group.grammar.read(&bytes).map_err(Unread::Refused)? {
        Frame::Hello { manifest, .. } => Ok(manifest == shared.group.manifest),
        _ => Err(Unread::Refused(Refusal::WrongKind)),
    }
}

/// The manifests differ: each side sends its own, so that operators can see the differences, and disconnects.
async fn quarrel<C: Carrier>(shared: &Shared<C>, peer: usize, link: &C::Link) {
    shared.refuse(peer, Refusal::OtherManifest);
    let ours = async {
        let frame = Frame::Manifest(shared.group.text.clone());
        let _ = link.deliver(&frame.bytes()).await; // fails if the link has ended
    };
    let theirs = async {
        let Some(mut incoming) = link.next().await else { return };
        let room = Semaphore::new(shared.longest.min(Semaphore::MAX_PERMITS));
        let frame = match read(&mut incoming, shared.longest, &room).await {
            Ok(bytes) => shared.group.grammar.read(&bytes),
            Err(_) => return,
        };
        match frame {
            Ok(Frame::Manifest(text)) => shared.inbox.differs(peer, text),
            Ok(_) => shared.refuse(peer, Refusal::WrongKind),
            Err(why) => shared.refuse(peer, why),
        }
    };
    let _ = timeout(shared.limits.idle, async { tokio::join!(ours, theirs) }).await;
    link.close(Parting::OtherManifest);
}

/// Reports messages until the link ends.
async fn listen<C: Carrier>(shared: &Arc<Shared<C>>, peer: usize, link: &C::Link) {
    let Some(contact) = shared.contacts.get(peer) else { return };
    let mut readers = JoinSet::new();
    let mut used = None; // a peer sends over its newest link, so the link that it began to use last is the newest
    let mut number = 0;
    while let Some(incoming) = link.next().await {
        while readers.try_join_next().is_some() {}
        while readers.len() >= READERS && readers.join_next().await.is_some() {}
        let take = || contact.rate.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now());
        let mut granted = take();
        if granted.is_err() {
            shared.refuse(peer, Refusal::Flood);
        }
        // While this waits, the peer cannot send more. No message is dropped here, because the newest must be kept.
        while let Err(wait) = granted {
            sleep(wait).await;
            granted = take();
        }
        let used = *used.get_or_insert_with(|| contact.used.fetch_add(1, Ordering::Relaxed));
        number += 1;
        let received = receive(Arc::clone(shared), peer, Turn(used, number), incoming);
        if shared.limits.in_turn {
            received.await;
        } else {
            readers.spawn(received);
        }
    }
}

async fn receive<C: Carrier>(
    shared: Arc<Shared<C>>,
    peer: usize,
    turn: Turn,
    mut incoming: <C::Link as Link>::Incoming,
) {
    let Some(contact) = shared.contacts.get(peer) else { return };
    match timeout(shared.limits.patience, read(&mut incoming, shared.longest, &contact.room)).await {
        Ok(Ok(bytes)) => shared.inbox.heard(peer, turn, bytes),
        Ok(Err(Unread::Lost)) => {}
        Ok(Err(Unread::Refused(why))) => shared.refuse(peer, why),
        Err(_) => shared.refuse(peer, Refusal::Slow),
    }
}

/// Reads a message of at most `longest` bytes. A longer one is refused unread. `room` limits the bytes of one peer that are in
/// memory at a time.
async fn read(incoming: &mut impl Incoming, longest: usize, room: &Semaphore) -> Result<Vec<u8>, Unread> {
    let length = incoming.length().await?;
    let permits = u32::try_from(length).ok().filter(|_| length <= longest);
    let permits = permits.ok_or(Unread::Refused(Refusal::TooLarge))?;
    let _room = room.acquire_many(permits).await.map_err(|_| Unread::Lost)?;
    let bytes = incoming.bytes().await?;
    if bytes.len() == length { Ok(bytes) } else { Err(Unread::Refused(Refusal::Malformed)) }
}
