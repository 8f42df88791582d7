//! One peer: the connections to it, dialling it, and writing to it.

use std::net::SocketAddr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use iroh::endpoint::{ConnectError, ConnectingError, Connection, ConnectionError, Side, VarInt};
use iroh::{Endpoint, EndpointAddr, EndpointId, RelayUrl, TransportAddr};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep, timeout};

use super::serve::{self, Served};
use super::wire::{self, code};
use super::{Limits, PROTOCOL, Shared};
use crate::identity::PublicKey;
use crate::transport::Unreached;
use crate::transport::bucket::Bucket;
use crate::transport::outbox::Outbox;

pub(super) struct Peer {
    /// Where to dial it. None if it has no address.
    address: Option<EndpointAddr>,
    pub(super) outbox: Outbox,
    /// How many messages it may send.
    pub(super) rate: Mutex<Bucket>,
    /// How many bytes of its messages may be in memory.
    pub(super) room: Arc<Semaphore>,
    /// How many connections it has used.
    pub(super) used: AtomicU64,
    links: Mutex<Links>,
    /// The newest connection: what is sent goes here.
    newest: watch::Sender<Option<Link>>,
}

/// At most one connection that we dialled and one that it dialled.
#[derive(Default)]
struct Links {
    dialled: Option<Link>,
    accepted: Option<Link>,
    made: u64,
}

#[derive(Clone)]
struct Link {
    connection: Connection,
    number: u64,
}

impl Links {
    fn side(&mut self, side: Side) -> &mut Option<Link> {
        if side.is_client() { &mut self.dialled } else { &mut self.accepted }
    }

    fn newest(&self) -> Option<Link> {
        let links = [&self.dialled, &self.accepted].into_iter().flatten();
        links.max_by_key(|link| link.number).cloned()
    }
}

impl Peer {
    pub(super) fn new(
        key: &PublicKey,
        addresses: &[SocketAddr],
        relays: &[RelayUrl],
        limits: &Limits,
        longest: usize,
    ) -> Self {
        let ips = addresses.iter().map(|address| TransportAddr::Ip(*address));
        let all: Vec<_> = ips.chain(relays.iter().cloned().map(TransportAddr::Relay)).collect();
        let id = EndpointId::from_bytes(key.as_bytes()).ok();
        let room = (2 * longest).min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
        Self {
            address: id.filter(|_| !all.is_empty()).map(|id| EndpointAddr::from_parts(id, all)),
            outbox: Outbox::new(limits.queue, 2 * longest),
            rate: Mutex::new(Bucket::new(limits.messages, limits.messages / 10.0, Instant::now())),
            room: Arc::new(Semaphore::new(room)),
            used: AtomicU64::new(0),
            links: Mutex::default(),
            newest: watch::Sender::new(None),
        }
    }

    pub(super) fn is_linked(&self) -> bool {
        self.newest.borrow().is_some()
    }

    /// Where its packets go.
    pub(super) fn paths(&self) -> Vec<SocketAddr> {
        let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let each = [&links.dialled, &links.accepted].into_iter().flatten();
        let of = |link: &Link| {
            let paths = link.connection.paths();
            paths.iter().filter_map(|path| ip(path.remote_addr())).collect::<Vec<_>>()
        };
        each.flat_map(of).collect()
    }

    /// Sends over this connection from now on. An older one of the same side is closed. What is told of links is told in the order
    /// in which they come and go.
    pub(super) fn link(&self, connection: &Connection, tell: impl FnOnce()) -> u64 {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.made += 1;
        let number = links.made;
        let link = Link { connection: connection.clone(), number };
        if let Some(old) = links.side(connection.side()).replace(link) {
            old.connection.close(VarInt::from_u32(code::REPLACED), b"there is a newer connection");
        }
        self.show(links.newest());
        tell();
        number
    }

    /// A connection has ended. Tells if it was the last one.
    pub(super) fn unlink(&self, connection: &Connection, number: u64, tell: impl FnOnce()) {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let side = links.side(connection.side());
        if side.as_ref().is_none_or(|link| link.number != number) {
            return; // a newer one took its place
        }
        *side = None;
        let newest = links.newest();
        let last = newest.is_none();
        self.show(newest);
        if last {
            tell();
        }
    }

    /// Wakes those who wait only if the newest is another one: a message under way is not given up for the end of an old link.
    fn show(&self, newest: Option<Link>) {
        let number = |link: &Option<Link>| link.as_ref().map(|link| link.number);
        self.newest.send_if_modified(|shown| {
            let other = number(shown) != number(&newest);
            *shown = newest;
            other
        });
    }
}

fn ip(address: &TransportAddr) -> Option<SocketAddr> {
    match address {
        TransportAddr::Ip(address) => Some(*address),
        _ => None,
    }
}

/// Dials a peer whenever there is no connection to it, for ever.
pub(super) async fn dial(shared: Arc<Shared>, endpoint: Endpoint, to: usize) {
    let Some(peer) = shared.peers.get(to) else { return };
    let Some(address) = &peer.address else { return };
    let limits = &shared.limits;
    let mut newest = peer.newest.subscribe();
    let mut again = limits.again_first;
    loop {
        if newest.wait_for(Option::is_none).await.is_err() {
            return;
        }
        let dialled = tokio::select! {
            dialled = timeout(limits.idle, endpoint.connect(address.clone(), PROTOCOL)) => dialled,
            _ = newest.wait_for(Option::is_some) => continue, // it was faster
        };
        match dialled {
            Ok(Ok(connection)) => {
                let since = Instant::now();
                match serve::serve(&shared, to, connection).await {
                    // Two processes with one key would take the peer's place for them from each other all the time.
                    Served::Spoken if since.elapsed() < limits.idle => {}
                    Served::Spoken => again = limits.again_first,
                    Served::Quarrelled => again = limits.quarrel,
                    Served::Silent => shared.inbox.unreached(to, Unreached::Turned),
                }
            }
            Ok(Err(error)) => shared.inbox.unreached(to, why(&error)),
            Err(_) => shared.inbox.unreached(to, Unreached::Silent),
        }
        if endpoint.is_closed() {
            return;
        }
        tokio::select! {
            () = sleep(again) => again = (2 * again).min(limits.again_most),
            _ = newest.wait_for(Option::is_some) => again = limits.again_first,
        }
    }
}

fn why(error: &ConnectError) -> Unreached {
    let ended = match error {
        ConnectError::Connecting { source: ConnectingError::ConnectionError { source, .. }, .. } => source,
        ConnectError::Connection { source, .. } => source,
        _ => return Unreached::Silent,
    };
    match ended {
        ConnectionError::TransportError(_) => Unreached::Stranger, // this side ended the handshake: the key is not the peer's
        ConnectionError::ApplicationClosed(_) | ConnectionError::ConnectionClosed(_) => Unreached::Turned,
        _ => Unreached::Silent,
    }
}

/// Writes to a peer what is queued for it, for ever.
pub(super) async fn write(shared: Arc<Shared>, to: usize) {
    let Some(peer) = shared.peers.get(to) else { return };
    let mut newest = peer.newest.subscribe();
    loop {
        let message = peer.outbox.next().await;
        let sent = loop {
            let Some(Link { connection, .. }) = newest.borrow_and_update().clone() else { break false };
            match put(&connection, &mut newest, &message).await {
                Put::Written => break true,
                Put::Failed => break false,
                Put::Overtaken => {} // over the newer connection, then
            }
        };
        if sent {
            shared.inbox.sent(to, message.len());
        } else {
            shared.inbox.dropped(to, 1); // if the peer is away, it will be told everything when it is back
        }
    }
}

enum Put {
    Written,
    Failed,
    Overtaken,
}

/// Writes a message to a connection, for as long as that is the newest.
async fn put(connection: &Connection, newest: &mut watch::Receiver<Option<Link>>, message: &[u8]) -> Put {
    let mut stream = tokio::select! {
        stream = connection.open_uni() => match stream {
            Ok(stream) => stream,
            Err(_) => return Put::Failed,
        },
        _ = newest.changed() => return Put::Overtaken,
    };
    let put = tokio::select! {
        written = wire::write(&mut stream, message) => if written.is_ok() { Put::Written } else { Put::Failed },
        _ = newest.changed() => Put::Overtaken,
    };
    if !matches!(put, Put::Written) {
        let _ = stream.reset(VarInt::from_u32(code::ABANDONED)); // it fails if the stream has ended: just as well
    }
    put
}
