//! The real network: QUIC with TLS 1.3 both ways, by [iroh](https://docs.rs/iroh). A peer is dialled by its public key at the
//! addresses that the operator gave, and proves in the handshake that it has that key.
//!
//! Nothing is asked of third parties: no relay but those that are configured, no name service, no look-up of addresses, no
//! port mapping. Two members that are connected may tell each other further addresses of theirs and try those.
//!
//! A message is one stream: four bytes of length, then the message. The first in either direction is [`Frame::Hello`].
//! Either side dials, and either connection carries messages both ways; what is sent goes over the newest. So a node that
//! comes back after a crash is sent to as soon as it has dialled, long before its old connection is known to be dead.

mod door;
mod peer;
mod serve;
mod wire;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use iroh::endpoint::{PortmapperConfig, QuicTransportConfig, VarInt, presets};
use iroh::{Endpoint, NetReportConfig, RelayMode, RelayUrl, SecretKey};
use tokio::task::JoinSet;

use self::door::{Allow, Door};
use self::peer::Peer;
use super::inbox::Inbox;
use super::{Counts, Events, Queued, Transport};
use crate::entry::Digest;
use crate::frame::{Frame, Shape};
use crate::identity::{Identity, PublicKey};

/// The protocol that both ends of a connection name.
pub const PROTOCOL: &[u8] = b"dpsda/1";

/// Who speaks with whom, and about what.
pub struct Group {
    /// Which member this node is.
    pub me: usize,
    /// Its key.
    pub identity: Arc<Identity>,
    /// Everybody's key, by node.
    pub members: Vec<PublicKey>,
    /// What honest frames look like.
    pub shape: Shape,
    /// Which manifest is run.
    pub manifest: Digest,
    /// The manifest as a file, for members that run another.
    pub text: String,
    /// Which life of this node it is.
    pub epoch: u64,
}

/// Where to listen, and where others are.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Addresses to listen at, at most one of IPv4 and one of IPv6. Port 0 is any free one.
    pub listen: Vec<SocketAddr>,
    /// Addresses of every member, by node. One without any is not dialled, and may dial.
    pub peers: Vec<Vec<SocketAddr>>,
    /// Relays (URLs) for members that no address leads to. Without any, none is used.
    pub relays: Vec<String>,
    /// How much is too much.
    pub limits: Limits,
}

/// How much is too much.
#[derive(Debug, Clone)]
pub struct Limits {
    /// A connection over which nothing came for so long is dead. An eighth of it is how often a sign of life is sent.
    pub idle: Duration,
    /// A message that takes longer to arrive is refused.
    pub patience: Duration,
    /// Dialling again waits so long at first, then twice as long each time.
    pub again_first: Duration,
    /// And never longer than this.
    pub again_most: Duration,
    /// Messages that wait for one peer, or of one peer.
    pub queue: usize,
    /// Messages that one peer may send in a second. More are refused unread.
    pub messages: f64,
    /// Handshakes a second from all addresses that are not a member's, taken together.
    pub strangers: f64,
    /// Handshakes a second from each address that is a member's.
    pub handshakes: f64,
    /// How long a member under another manifest is not dialled again.
    pub quarrel: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(2),
            patience: Duration::from_secs(10),
            again_first: Duration::from_millis(20),
            again_most: Duration::from_millis(500),
            queue: 8,
            messages: 10_000.0,
            strangers: 10.0,
            handshakes: 20.0,
            quarrel: Duration::from_secs(5),
        }
    }
}

/// Why there is no transport.
#[derive(Debug, thiserror::Error)]
pub enum Unbound {
    /// An address that cannot be listened at.
    #[error("listen = {address:?}: {why} (give an address of this host and a port that is free)")]
    Listen {
        /// All of them.
        address: Vec<SocketAddr>,
        /// What the system said.
        why: String,
    },
    /// Not a relay.
    #[error("relays = {found:?}: {why} (give a URL such as \"https://relay.example.org\")")]
    Relay {
        /// What was found.
        found: String,
        /// What is wrong.
        why: String,
    },
    /// Lists that do not fit each other.
    #[error("peers: addresses of {found} nodes, expected one list for each of the {members} members")]
    Peers {
        /// How many there are.
        found: usize,
        /// How many there should be.
        members: usize,
    },
    /// The key is not that of the member.
    #[error("member {0}: this node's key is not the manifest's (use the key of this member)")]
    Key(usize),
    /// A time that is no time.
    #[error("{key} = {found:?}: expected {expected}")]
    Limit {
        /// Which.
        key: &'static str,
        /// What was found.
        found: Duration,
        /// What would do.
        expected: &'static str,
    },
}

/// A node's place on the network.
pub struct Quic {
    shared: Arc<Shared>,
    endpoint: Endpoint,
    /// All that runs for it. What is dropped ends.
    tasks: Mutex<JoinSet<()>>,
}

/// What all tasks of a node see.
struct Shared {
    group: Group,
    /// The first frame of every connection.
    hello: Vec<u8>,
    longest: usize,
    limits: Limits,
    inbox: Arc<Inbox>,
    peers: Vec<Peer>,
    door: Door,
}

impl Quic {
    /// Listens, and dials everybody whose address is known.
    pub async fn bind(group: Group, settings: Settings) -> Result<(Self, Events), Unbound> {
        let Settings { listen, peers: addresses, relays, limits } = settings;
        check(&group, &addresses, &limits)?;
        let longest = group.shape.longest();
        let (inbox, events) =
            Inbox::new(group.members.len(), group.members.clone(), limits.queue, 2 * longest);
        let mut builder = Endpoint::builder(presets::Minimal)
            .secret_key(SecretKey::from_bytes(&group.identity.secret()))
            .alpns(vec![PROTOCOL.to_vec()])
            .transport_config(tuning(longest, &limits))
            .portmapper_config(PortmapperConfig::Disabled)
            .net_report_config(NetReportConfig::minimal())
            .relay_mode(relay_mode(&relays)?)
            .clear_address_lookup()
            .clear_ip_transports()
            .hooks(Allow { members: group.members.clone(), inbox: Arc::clone(&inbox) });
        let unfit = |why: String| Unbound::Listen { address: listen.clone(), why };
        for address in &listen {
            builder = builder.bind_addr(*address).map_err(|error| unfit(error.to_string()))?;
        }
        let endpoint = builder.bind().await.map_err(|error| unfit(format!("{error:#}")))?;
        let urls: Vec<RelayUrl> = relays.iter().filter_map(|url| url.parse().ok()).collect();
        let peer =
            |key: &PublicKey, addresses: &Vec<SocketAddr>| Peer::new(key, addresses, &urls, &limits, longest);
        let shared = Arc::new(Shared {
            hello: Frame::Hello { manifest: group.manifest, epoch: group.epoch }.bytes(),
            longest,
            inbox,
            peers: group.members.iter().zip(&addresses).map(|(key, at)| peer(key, at)).collect(),
            door: Door::new(&addresses, &limits),
            limits,
            group,
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(door::accept(Arc::clone(&shared), endpoint.clone()));
        for peer in (0..shared.peers.len()).filter(|peer| *peer != shared.group.me) {
            tasks.spawn(peer::dial(Arc::clone(&shared), endpoint.clone(), peer));
            tasks.spawn(peer::write(Arc::clone(&shared), peer));
        }
        Ok((Self { shared, endpoint, tasks: Mutex::new(tasks) }, events))
    }

    /// Where it listens.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.endpoint.bound_sockets()
    }

    /// Whether nobody but members is ever spoken to: there is no relay and no look-up of addresses.
    pub fn is_alone(&self) -> bool {
        let lookups = self.endpoint.address_lookup().map_or(0, |services| services.len());
        lookups == 0 && self.endpoint.addr().relay_urls().next().is_none()
    }

    /// The addresses of peers that packets go to.
    pub fn paths(&self) -> Vec<(usize, SocketAddr)> {
        let of = |(k, peer): (usize, &Peer)| {
            peer.paths().into_iter().map(move |path| (k, path)).collect::<Vec<_>>()
        };
        self.shared.peers.iter().enumerate().flat_map(of).collect()
    }
}

impl Transport for Quic {
    fn send(&self, to: usize, bytes: Vec<u8>) -> Queued {
        let Some(peer) = self.shared.peers.get(to).filter(|_| to != self.shared.group.me) else {
            return Queued::Unfit;
        };
        if bytes.len() > self.shared.longest {
            return Queued::Unfit;
        }
        if !peer.is_linked() {
            self.shared.inbox.dropped(to, 1);
            return Queued::Away;
        }
        match peer.outbox.push(bytes) {
            0 => Queued::Taken,
            gone => {
                self.shared.inbox.dropped(to, gone);
                Queued::Displaced
            }
        }
    }

    fn counts(&self) -> Counts {
        self.shared.inbox.counts()
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async {
            self.endpoint.close().await;
            let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
            tasks.shutdown().await;
            self.shared.inbox.end();
        })
    }
}

impl Drop for Quic {
    fn drop(&mut self) {
        self.shared.inbox.end();
    }
}

fn check(group: &Group, addresses: &[Vec<SocketAddr>], limits: &Limits) -> Result<(), Unbound> {
    if group.members.get(group.me) != Some(&group.identity.public()) {
        return Err(Unbound::Key(group.me));
    }
    if addresses.len() != group.members.len() {
        return Err(Unbound::Peers { found: addresses.len(), members: group.members.len() });
    }
    let (least, most) = (Duration::from_millis(100), Duration::from_secs(15));
    if !(least..=most).contains(&limits.idle) {
        let expected = "from 100 ms to 15 s";
        return Err(Unbound::Limit { key: "idle", found: limits.idle, expected });
    }
    if limits.again_first.is_zero() || limits.again_first > limits.again_most {
        let expected = "more than nothing and at most again_most";
        return Err(Unbound::Limit { key: "again_first", found: limits.again_first, expected });
    }
    Ok(())
}

fn relay_mode(relays: &[String]) -> Result<RelayMode, Unbound> {
    if relays.is_empty() {
        return Ok(RelayMode::Disabled);
    }
    let parsed = relays.iter().map(|found| {
        let wrong = |why: String| Unbound::Relay { found: found.clone(), why };
        found.parse::<RelayUrl>().map_err(|error| wrong(error.to_string()))
    });
    Ok(RelayMode::custom(parsed.collect::<Result<Vec<_>, _>>()?))
}

/// A connection may carry a greeting. Once it has, there is a window of two messages of the longest kind, as there is for what
/// is sent: what one peer can make this node keep.
fn tuning(longest: usize, limits: &Limits) -> QuicTransportConfig {
    let idle = VarInt::from_u32(limits.idle.as_millis() as u32);
    QuicTransportConfig::builder()
        .max_idle_timeout(Some(idle.into()))
        .default_path_max_idle_timeout(limits.idle)
        .keep_alive_interval(limits.idle / 8)
        .default_path_keep_alive_interval(limits.idle / 8)
        .initial_rtt(Duration::from_millis(100)) // a first packet that is lost is sent again after 300 ms, not after a second
        .max_concurrent_bidi_streams(VarInt::from_u32(0))
        .max_concurrent_uni_streams(VarInt::from_u32(wire::STREAMS))
        .stream_receive_window(wire::window(longest + wire::HEADER))
        .receive_window(VarInt::from_u32(wire::UNGREETED))
        .send_window(2 * longest as u64)
        .datagram_receive_buffer_size(None)
        .build()
}
