//! What a node is told before it speaks, and what of it is refused.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use iroh::endpoint::{QuicTransportConfig, VarInt};
use iroh::{RelayMode, RelayUrl};

use super::wire;
use crate::entry::Digest;
use crate::frame::Shape;
use crate::identity::{Identity, PublicKey};

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
    /// Messages that one peer may send in a second. More wait unread, which slows their sender, and are counted.
    pub messages: f64,
    /// Handshakes a second from all addresses that are not a member's, taken together.
    pub strangers: f64,
    /// Handshakes a second from each address that is a member's.
    pub handshakes: f64,
    /// How long a member under another manifest is not dialled again.
    pub quarrel: Duration,
    /// Whether the messages of a connection are told in the order in which they were sent, or as they arrive: whoever keeps step
    /// with a peer wants all it said, others what is new.
    pub in_turn: bool,
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
            in_turn: false,
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

pub(super) fn check(group: &Group, addresses: &[Vec<SocketAddr>], limits: &Limits) -> Result<(), Unbound> {
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

/// A connection may carry a greeting. Once it has, there is a window of two messages of the longest kind, as there is for what
/// is sent: what one peer can make this node keep.
pub(super) fn tuning(longest: usize, limits: &Limits) -> QuicTransportConfig {
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
