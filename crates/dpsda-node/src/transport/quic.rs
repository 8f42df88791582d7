//! The real network: QUIC with mutual TLS 1.3, by [iroh](https://docs.rs/iroh). A peer is dialled by its public key at the
//! addresses that the operator gave, and proves in the handshake that it has that key.
//!
//! No third party is contacted: only configured relays are used, and there is no name service, no look-up of addresses and no
//! port mapping. Two connected members may tell each other further addresses and try them.

mod carrier;
mod door;
mod link;
mod settings;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;

use iroh::endpoint::{PortmapperConfig, presets};
use iroh::{Endpoint, NetReportConfig, RelayUrl, SecretKey, TransportAddr};

use self::carrier::QuicCarrier;
use self::door::{Allow, Door};
use self::settings::{relay_mode, tuning};
use super::session::{Group, Running, Session};
use super::{Counts, Events, Queued, Transport};

pub use self::settings::{Knocks, Settings, Unbound};

/// The protocol name (ALPN) that both ends of a connection use.
pub const PROTOCOL: &[u8] = b"dpsda/1";

/// A node on the network.
pub struct Quic {
    session: Running<QuicCarrier>,
    relayed: bool,
}

impl Quic {
    /// Listens, and dials every member whose address is known.
    pub async fn bind(group: Group, settings: Settings) -> Result<(Self, Events), Unbound> {
        let Settings { listen, peers, relays, limits, knocks } = settings;
        let (members, secret) = (group.members.clone(), group.identity.secret());
        if peers.len() != members.len() {
            return Err(Unbound::Peers { found: peers.len(), members: members.len() });
        }
        let longest = group.grammar.longest();
        let tuning = tuning(longest, &limits);
        let session = Session::new(group, limits)?;
        let mut builder = Endpoint::builder(presets::Minimal)
            .secret_key(SecretKey::from_bytes(&secret))
            .alpns(vec![PROTOCOL.to_vec()])
            .transport_config(tuning)
            .portmapper_config(PortmapperConfig::Disabled)
            .net_report_config(NetReportConfig::minimal())
            .relay_mode(relay_mode(&relays)?)
            .clear_address_lookup()
            .clear_ip_transports()
            .hooks(Allow { members: members.clone(), refusals: session.refusals() });
        let unfit = |why: String| Unbound::Listen { address: listen.clone(), why };
        if listen.is_empty() {
            return Err(unfit("no address".into()));
        }
        for address in &listen {
            builder = builder.bind_addr(*address).map_err(|error| unfit(error.to_string()))?;
        }
        let endpoint = builder.bind().await.map_err(|error| unfit(format!("{error:#}")))?;
        let urls: Vec<RelayUrl> = relays.iter().filter_map(|url| url.parse().ok()).collect();
        let carrier = QuicCarrier {
            endpoint,
            addresses: members.iter().zip(&peers).map(|(key, at)| carrier::address(key, at, &urls)).collect(),
            door: Door::new(&peers, knocks),
            refusals: session.refusals(),
            longest,
            members,
        };
        let (session, events) = session.over(carrier);
        Ok((Self { session, relayed: !urls.is_empty() }, events))
    }

    fn endpoint(&self) -> &Endpoint {
        &self.session.carrier().endpoint
    }

    /// The addresses it listens at.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.endpoint().bound_sockets()
    }

    /// Whether it contacts members only: there is no relay and no look-up of addresses.
    pub fn is_alone(&self) -> bool {
        let lookups = self.endpoint().address_lookup().map_or(0, |services| services.len());
        lookups == 0 && !self.relayed
    }

    /// The addresses of peers that packets go to.
    pub fn paths(&self) -> Vec<(usize, SocketAddr)> {
        let mut all = Vec::new();
        for (peer, link) in self.session.links() {
            for path in link.connection.paths().iter() {
                if let TransportAddr::Ip(address) = path.remote_addr() {
                    all.push((peer, *address));
                }
            }
        }
        all
    }
}

impl Transport for Quic {
    fn send(&self, to: usize, bytes: Vec<u8>) -> Queued {
        self.session.send(to, bytes)
    }

    fn counts(&self) -> Counts {
        self.session.counts()
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.session.close()
    }
}
