//! Transport of messages between nodes: sent to peers by number, received as events. A sender never waits.
//!
//! Every message replaces the earlier ones to the same peer. DPSDA-R sends all blocks that a peer lacks; DPSDA-C and DPSDA-PS
//! send the sum of everything ever put on a link. So a message may be lost, queues are short, and a full queue drops the
//! oldest. Each peer has its own queue on both sides, so a dead, slow or loud peer does not affect the others.
//!
//! A driver uses [`Transport`]. [`session`] is the part that all transports share; [`link`] is what each network implements.

mod bucket;
pub mod link;
pub mod local;
pub mod lossy;
pub mod pipe;
pub mod quic;
pub mod session;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use crate::frame::Refusal;
use crate::identity::PublicKey;

pub use session::Events;

/// An event of a transport. See [`Events::next`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A new connection to a peer, which may replace an older one. The peer may lack everything that was sent before.
    Connected(usize),
    /// A peer sent a message.
    Heard {
        /// The peer. The link has proved its key.
        from: usize,
        /// The message, at most as long as the longest valid frame.
        bytes: Vec<u8>,
    },
    /// No connection to a peer is left. The transport dials it again by itself.
    Gone(usize),
    /// A member runs another manifest. It was sent ours and disconnected.
    Differs {
        /// The peer.
        from: usize,
        /// Its manifest file, for [`crate::manifest::differences`].
        theirs: String,
    },
    /// A message or a connection was refused.
    Refused {
        /// The key of the sender. None if it is not known, or if there are too many strangers to name.
        from: Option<PublicKey>,
        /// The reason.
        why: Refusal,
        /// How often since the last report.
        times: u64,
    },
}

/// The result of queueing a message. The message may still be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queued {
    /// It is queued.
    Taken,
    /// It is queued, and older messages to the same peer were dropped for it.
    Displaced,
    /// Dropped: the peer is not connected. On [`Event::Connected`] the node sends it everything.
    Away,
    /// Dropped: there is no peer with this number, or the message is longer than a peer accepts.
    Unfit,
}

/// Why a peer could not be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unreached {
    /// Nobody answers at its address.
    Silent,
    /// The host at its address has another key.
    Stranger,
    /// It answers but turns this node away.
    Turned,
}

impl std::fmt::Display for Unreached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Silent => "nobody answers at its address",
            Self::Stranger => "the host at its address has another key",
            Self::Turned => "it answers but turns this node away",
        })
    }
}

/// The traffic with one peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Traffic {
    /// Whether there is a connection.
    pub connected: bool,
    /// Connections made so far.
    pub connections: u64,
    /// Failed attempts to dial it since the last connection.
    pub tried: u64,
    /// Why the last attempt failed.
    pub unreached: Option<Unreached>,
    /// Messages given to the network.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Messages dropped before they were sent: a newer one replaced them, or the peer was away.
    pub dropped: u64,
    /// Messages that arrived complete.
    pub heard: u64,
    /// Their bytes.
    pub heard_bytes: u64,
    /// Messages that arrived, but were replaced by newer ones before the node read them.
    pub unheard: u64,
}

/// The counts of a transport so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// The traffic with each member, by node number.
    pub peers: Vec<Traffic>,
    /// Refused messages and connections, by member and reason. Strangers are counted together, as None.
    pub refused: BTreeMap<(Option<usize>, Refusal), u64>,
}

/// Carries messages between nodes. A message may arrive once, several times, late, out of order, or not at all.
pub trait Transport: Send + Sync {
    /// Queues a message. It never waits.
    fn send(&self, to: usize, bytes: Vec<u8>) -> Queued;

    /// The counts so far.
    fn counts(&self) -> Counts;

    /// Tells all peers that this node leaves, and ends the transport.
    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}
