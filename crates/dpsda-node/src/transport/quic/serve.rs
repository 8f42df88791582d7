//! One connection from its handshake to its end.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use iroh::endpoint::{Connection, RecvStream, VarInt};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::Shared;
use super::wire::{self, Read, code};
use crate::frame::{Frame, Refusal};
use crate::transport::queue::Place;

/// No greeting is longer.
const GREETING: usize = 128;

/// How a connection went.
pub(super) enum Served {
    /// Both sides greeted each other.
    Spoken,
    /// They run different manifests.
    Quarrelled,
    /// It did not come to that.
    Silent,
}

/// Greets, reads until the connection ends, and reports what happened.
pub(super) async fn serve(shared: &Arc<Shared>, peer: usize, connection: Connection) -> Served {
    let greeted = timeout(shared.limits.idle, greet(shared, peer, &connection)).await;
    connection.set_receive_window(wire::window(2 * shared.longest));
    match greeted {
        Ok(Ok(true)) => {}
        Ok(Ok(false)) => {
            quarrel(shared, peer, &connection).await;
            return Served::Quarrelled;
        }
        Ok(Err(why)) => {
            if let Some(why) = why {
                shared.refuse(peer, why);
                connection.close(VarInt::from_u32(code::REFUSED), b"that is no greeting");
            }
            return Served::Silent;
        }
        Err(_) => {
            shared.refuse(peer, Refusal::Slow);
            connection.close(VarInt::from_u32(code::REFUSED), b"no greeting came");
            return Served::Silent;
        }
    }
    let Some(state) = shared.peers.get(peer) else { return Served::Silent };
    let number = state.link(&connection, || shared.inbox.connected(peer));
    let _end = Linked { shared, peer, connection: &connection, number };
    listen(shared, peer, &connection).await;
    Served::Spoken
}

/// Ends a link also where the task that serves it is dropped.
struct Linked<'a> {
    shared: &'a Shared,
    peer: usize,
    connection: &'a Connection,
    number: u64,
}

impl Drop for Linked<'_> {
    fn drop(&mut self) {
        let Some(state) = self.shared.peers.get(self.peer) else { return };
        state.unlink(self.connection, self.number, || {
            self.shared.inbox.dropped(self.peer, state.outbox.clear());
            self.shared.inbox.gone(self.peer);
        });
    }
}

impl Shared {
    fn refuse(&self, peer: usize, why: Refusal) {
        self.inbox.refused(self.group.members.get(peer).copied(), why);
    }
}

/// Says hello and waits for theirs: whether it is about the same manifest. The error is a reason to refuse, if there is one.
async fn greet(shared: &Shared, peer: usize, connection: &Connection) -> Result<bool, Option<Refusal>> {
    let mut hello = connection.open_uni().await.map_err(|_| None)?;
    wire::write(&mut hello, &shared.hello).await.map_err(|_| None)?;
    // Streams are accepted in the order in which they were opened, so this is the first that it said.
    let mut first = connection.accept_uni().await.map_err(|_| None)?;
    let room = shared.peers.get(peer).map(|peer| Arc::clone(&peer.room)).ok_or(None)?;
    let bytes = match wire::read(&mut first, GREETING, &room).await {
        Read::Whole(bytes) => bytes,
        Read::Lost => return Err(None),
        Read::Refused(why) => return Err(Some(why)),
    };
    match shared.group.shape.read(&bytes) {
        Ok(Frame::Hello { manifest, .. }) => Ok(manifest == shared.group.manifest),
        Ok(_) => Err(Some(Refusal::WrongKind)),
        Err(why) => Err(Some(why)),
    }
}

/// Two manifests: each side shows its own, so that people can be told what differs, and that is all they say.
async fn quarrel(shared: &Shared, peer: usize, connection: &Connection) {
    shared.refuse(peer, Refusal::OtherManifest);
    let ours = async {
        let Ok(mut stream) = connection.open_uni().await else { return };
        let frame = Frame::Manifest(shared.group.text.clone());
        if wire::write(&mut stream, &frame.bytes()).await.is_ok() {
            let _ = stream.stopped().await; // until it is there, or never will be
        }
    };
    let theirs = async {
        let Ok(mut stream) = connection.accept_uni().await else { return };
        let room = Arc::new(Semaphore::new(shared.longest));
        let Read::Whole(bytes) = wire::read(&mut stream, shared.longest, &room).await else { return };
        match shared.group.shape.read(&bytes) {
            Ok(Frame::Manifest(text)) => shared.inbox.differs(peer, text),
            Ok(_) => shared.refuse(peer, Refusal::WrongKind),
            Err(why) => shared.refuse(peer, why),
        }
    };
    let _ = timeout(shared.limits.idle, async { tokio::join!(ours, theirs) }).await;
    connection.close(VarInt::from_u32(code::OTHER_MANIFEST), b"another manifest");
}

/// Reads messages until the connection ends.
async fn listen(shared: &Arc<Shared>, peer: usize, connection: &Connection) {
    let Some(state) = shared.peers.get(peer) else { return };
    let mut readers = JoinSet::new(); // at most as many as it may have streams
    let mut turn = None; // a peer sends over its newest connection, so the one that it used last is that
    while let Ok(stream) = connection.accept_uni().await {
        while readers.try_join_next().is_some() {}
        let take = || state.rate.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now());
        let mut granted = take();
        if granted.is_err() {
            shared.refuse(peer, Refusal::Flood);
        }
        // Meanwhile the peer runs out of streams that it may open. Its newest message is the one to keep, so none is dropped here.
        while let Err(wait) = granted {
            sleep(wait).await;
            granted = take();
        }
        let turn = *turn.get_or_insert_with(|| state.used.fetch_add(1, Ordering::Relaxed));
        let received = receive(Arc::clone(shared), peer, (turn, stream.id().index()), stream);
        if shared.limits.in_turn {
            received.await;
        } else {
            readers.spawn(received);
        }
    }
}

async fn receive(shared: Arc<Shared>, peer: usize, place: Place, mut stream: RecvStream) {
    let Some(state) = shared.peers.get(peer) else { return };
    match timeout(shared.limits.patience, wire::read(&mut stream, shared.longest, &state.room)).await {
        Ok(Read::Whole(bytes)) => shared.inbox.heard(peer, place, bytes),
        Ok(Read::Lost) => {}
        Ok(Read::Refused(why)) => shared.refuse(peer, why),
        Err(_) => shared.refuse(peer, Refusal::Slow),
    }
}
