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
mod settings;
mod wire;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use iroh::endpoint::{PortmapperConfig, presets};
use iroh::{Endpoint, NetReportConfig, RelayUrl, SecretKey};
use tokio::task::JoinSet;

use self::door::{Allow, Door};
use self::peer::Peer;
use self::settings::{check, relay_mode, tuning};
use super::inbox::Inbox;
use super::{Counts, Events, Queued, Transport};
use crate::frame::Frame;
use crate::identity::PublicKey;

pub use self::settings::{Group, Limits, Settings, Unbound};

/// The protocol that both ends of a connection name.
pub const PROTOCOL: &[u8] = b"dpsda/1";

/// A node's place on the network.
pub struct Quic {
    shared: Arc<Shared>,
    endpoint: Endpoint,
    relayed: bool,
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
        if listen.is_empty() {
            return Err(unfit("no address".into()));
        }
        for address in &listen {
            builder = builder.bind_addr(*address).map_err(|error| unfit(error.to_string()))?;
        }
        let endpoint = builder.bind().await.map_err(|error| unfit(format!("{error:#}")))?;
        let urls: Vec<RelayUrl> = relays.iter().filter_map(|url| url.parse().ok()).collect();
        let peer =
            |key: &PublicKey, addresses: &Vec<SocketAddr>| Peer::new(key, addresses, &urls, &limits, longest);
        let shared = Arc::new(Shared {
            hello: Frame::Hello { manifest: group.manifest }.bytes(),
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
        Ok((Self { shared, endpoint, relayed: !urls.is_empty(), tasks: Mutex::new(tasks) }, events))
    }

    /// Where it listens.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.endpoint.bound_sockets()
    }

    /// Whether nobody but members is ever spoken to: there is no relay and no look-up of addresses.
    pub fn is_alone(&self) -> bool {
        let lookups = self.endpoint.address_lookup().map_or(0, |services| services.len());
        lookups == 0 && !self.relayed
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
