//! The addresses to listen at and to dial, and the checks on these settings.

use std::net::SocketAddr;
use std::time::Duration;

use iroh::endpoint::{AckFrequencyConfig, QuicTransportConfig, VarInt};
use iroh::{RelayMode, RelayUrl};

use super::link;
use crate::transport::session::{Limits, Misfit};

/// A peer acknowledges after this many packets at the latest. An acknowledgement costs both sides as much as a packet of data, and
/// without this there would be one per message.
const ACKED: u32 = 24;

/// Or after this time, so that a sender whose window is full does not wait long.
const ACK_DELAY: Duration = Duration::from_millis(5);

/// The network settings of a node.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The addresses to listen at: at most one IPv4 and one IPv6 address. Port 0 means any free port.
    pub listen: Vec<SocketAddr>,
    /// The addresses of every member, by node. A member without an address is not dialled, but may dial this node.
    pub peers: Vec<Vec<SocketAddr>>,
    /// URLs of relays for members that no address reaches. If the list is empty, no relay is used.
    pub relays: Vec<String>,
    /// The limits of the session.
    pub limits: Limits,
    /// The limits on handshakes.
    pub knocks: Knocks,
}

/// The limits on handshakes that callers may begin. Each handshake costs a signature.
#[derive(Debug, Clone, Copy)]
pub struct Knocks {
    /// Per second, from all addresses together that are not a member's.
    pub strangers: f64,
    /// Per second, from each address of a member.
    pub members: f64,
}

impl Default for Knocks {
    fn default() -> Self {
        Self { strangers: 10.0, members: 20.0 }
    }
}

/// Why the transport could not start.
#[derive(Debug, thiserror::Error)]
pub enum Unbound {
    /// The session could not be made.
    #[error(transparent)]
    Session(#[from] Misfit),
    /// The node cannot listen at its addresses.
    #[error("listen = {address:?}: {why} (give an address of this host and a port that is free)")]
    Listen {
        /// All addresses to listen at.
        address: Vec<SocketAddr>,
        /// The system's error.
        why: String,
    },
    /// Not the URL of a relay.
    #[error("relays = {found:?}: {why} (give a URL such as \"https://relay.example.org\")")]
    Relay {
        /// What was found.
        found: String,
        /// What is wrong.
        why: String,
    },
    /// The number of address lists is not the number of members.
    #[error("peers: addresses of {found} nodes, expected one list for each of the {members} members")]
    Peers {
        /// The number of lists found.
        found: usize,
        /// The number of members.
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
            return Err(wrong("a relay must use TLS".into()));
        }
        found.parse::<RelayUrl>().map_err(|error| wrong(error.to_string()))
    });
    Ok(RelayMode::custom(parsed.collect::<Result<Vec<_>, _>>()?))
}

/// Before the greeting, a connection may carry only a few bytes. After it, the window is two messages of the longest kind in each
/// direction: this is the most that one peer can make this node keep.
pub(super) fn tuning(longest: usize, limits: &Limits) -> QuicTransportConfig {
    let idle = VarInt::from_u32(limits.idle.as_millis() as u32);
    let mut acks = AckFrequencyConfig::default();
    acks.ack_eliciting_threshold(VarInt::from_u32(ACKED)).max_ack_delay(Some(ACK_DELAY));
    QuicTransportConfig::builder()
        .ack_frequency_config(Some(acks))
        .max_idle_timeout(Some(idle.into()))
        .default_path_max_idle_timeout(limits.idle)
        .keep_alive_interval(limits.idle / 8)
        .default_path_keep_alive_interval(limits.idle / 8)
        .initial_rtt(Duration::from_millis(100)) // a lost first packet is sent again after 300 ms, not after one second
        .max_concurrent_bidi_streams(VarInt::from_u32(0))
        .max_concurrent_uni_streams(VarInt::from_u32(link::STREAMS))
        .stream_receive_window(link::window(longest + link::HEADER))
        .receive_window(VarInt::from_u32(link::UNGREETED))
        .send_window(2 * longest as u64)
        .datagram_receive_buffer_size(None)
        .build()
}
