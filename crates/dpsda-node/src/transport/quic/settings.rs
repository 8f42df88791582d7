//! Where to listen and whom to dial, and which settings are refused.

use std::net::SocketAddr;
use std::time::Duration;

use iroh::endpoint::{QuicTransportConfig, VarInt};
use iroh::{RelayMode, RelayUrl};

use super::link;
use crate::transport::session::{Limits, Misfit};

/// Where to listen, and where others are.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Addresses to listen at, at most one of IPv4 and one of IPv6. Port 0 is any free one.
    pub listen: Vec<SocketAddr>,
    /// Addresses of every member, by node. A member without any is not dialled, and may dial.
    pub peers: Vec<Vec<SocketAddr>>,
    /// Relays (URLs) for members that no address leads to. Without any, none is used.
    pub relays: Vec<String>,
    /// What the session takes.
    pub limits: Limits,
    /// How many handshakes are begun.
    pub knocks: Knocks,
}

/// How many handshakes are begun. Each costs a signature.
#[derive(Debug, Clone, Copy)]
pub struct Knocks {
    /// Per second, from all addresses that are not a member's, taken together.
    pub strangers: f64,
    /// Per second, from each address that is a member's.
    pub members: f64,
}

impl Default for Knocks {
    fn default() -> Self {
        Self { strangers: 10.0, members: 20.0 }
    }
}

/// Why there is no transport.
#[derive(Debug, thiserror::Error)]
pub enum Unbound {
    /// No session could be made.
    #[error(transparent)]
    Session(#[from] Misfit),
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
}

pub(super) fn relay_mode(relays: &[String]) -> Result<RelayMode, Unbound> {
    if relays.is_empty() {
        return Ok(RelayMode::Disabled);
    }
    let parsed = relays.iter().map(|found| {
        let wrong = |why: String| Unbound::Relay { found: found.clone(), why };
        if !found.starts_with("https://") {
            return Err(wrong("nothing goes over the wire without TLS".into()));
        }
        found.parse::<RelayUrl>().map_err(|error| wrong(error.to_string()))
    });
    Ok(RelayMode::custom(parsed.collect::<Result<Vec<_>, _>>()?))
}

/// A connection may carry a greeting. After the greeting its window is two messages of the longest kind, in and out: so much one
/// peer can make this node keep.
pub(super) fn tuning(longest: usize, limits: &Limits) -> QuicTransportConfig {
    let idle = VarInt::from_u32(limits.idle.as_millis() as u32);
    QuicTransportConfig::builder()
        .max_idle_timeout(Some(idle.into()))
        .default_path_max_idle_timeout(limits.idle)
        .keep_alive_interval(limits.idle / 8)
        .default_path_keep_alive_interval(limits.idle / 8)
        .initial_rtt(Duration::from_millis(100)) // a first packet that is lost is sent again after 300 ms, not after a second
        .max_concurrent_bidi_streams(VarInt::from_u32(0))
        .max_concurrent_uni_streams(VarInt::from_u32(link::STREAMS))
        .stream_receive_window(link::window(longest + link::HEADER))
        .receive_window(VarInt::from_u32(link::UNGREETED))
        .send_window(2 * longest as u64)
        .datagram_receive_buffer_size(None)
        .build()
}
