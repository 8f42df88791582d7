//! Connections of an iroh endpoint, addressed by key.

use std::net::SocketAddr;

use iroh::endpoint::{self, ConnectError, ConnectingError, Connection, ConnectionError, IncomingAddr};
use iroh::{Endpoint, EndpointAddr, EndpointId, RelayUrl, TransportAddr};
use tokio::time::Instant;

use super::PROTOCOL;
use super::door::{Door, Knock, key};
use super::link::QuicLink;
use crate::frame::Refusal;
use crate::identity::PublicKey;
use crate::transport::Unreached;
use crate::transport::link::{Carrier, Proved};
use crate::transport::session::Refusals;

pub(super) struct QuicCarrier {
    pub(super) endpoint: Endpoint,
    pub(super) members: Vec<PublicKey>,
    /// The addresses of each member. None if it has no address.
    pub(super) addresses: Vec<Option<EndpointAddr>>,
    pub(super) door: Door,
    pub(super) refusals: Refusals,
    pub(super) longest: usize,
}

/// The addresses and relays at which a member is dialled.
pub(super) fn address(
    member: &PublicKey,
    addresses: &[SocketAddr],
    relays: &[RelayUrl],
) -> Option<EndpointAddr> {
    let ips = addresses.iter().map(|address| TransportAddr::Ip(*address));
    let all: Vec<_> = ips.chain(relays.iter().cloned().map(TransportAddr::Relay)).collect();
    let id = EndpointId::from_bytes(member.as_bytes()).ok();
    id.filter(|_| !all.is_empty()).map(|id| EndpointAddr::from_parts(id, all))
}

impl QuicCarrier {
    fn proved(&self, connection: Connection) -> Option<Proved<QuicLink>> {
        let key = key(&connection)?;
        Some(Proved { key, link: QuicLink { connection, longest: self.longest } })
    }
}

impl Carrier for QuicCarrier {
    type Link = QuicLink;
    /// A handshake that may begin, and the address of the caller.
    type Guest = (endpoint::Incoming, Option<SocketAddr>);

    async fn dial(&self, peer: usize) -> Result<Proved<QuicLink>, Unreached> {
        let address = self.addresses.get(peer).cloned().flatten().ok_or(Unreached::Silent)?;
        let connection = self.endpoint.connect(address, PROTOCOL).await.map_err(|error| why(&error))?;
        self.proved(connection).ok_or(Unreached::Stranger)
    }

    fn can_dial(&self, peer: usize) -> bool {
        self.addresses.get(peer).is_some_and(Option::is_some)
    }

    async fn accept(&self) -> Option<Self::Guest> {
        loop {
            let incoming = self.endpoint.accept().await?;
            let from = match incoming.remote_addr() {
                IncomingAddr::Ip(address) => {
                    Some(SocketAddr::new(address.ip().to_canonical(), address.port()))
                }
                _ => None, // over a relay: there is no address to forge or to prove
            };
            match self.door.knock(from, incoming.remote_addr_validated(), Instant::now()) {
                Knock::Open => return Some((incoming, from)),
                Knock::Prove => _ = incoming.retry(), // a caller that has proved its address is not asked again
                Knock::Ignore => {
                    incoming.ignore();
                    self.refusals.count(None, Refusal::Flood);
                }
            }
        }
    }

    async fn welcome(&self, (incoming, from): Self::Guest) -> Option<Proved<QuicLink>> {
        let proved = self.proved(incoming.accept().ok()?.await.ok()?)?;
        if let Some(member) = self.members.iter().position(|member| *member == proved.key) {
            self.door.remember(member, from);
        }
        Some(proved)
    }

    async fn close(&self) {
        self.endpoint.close().await;
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
