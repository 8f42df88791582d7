//! How bytes get from node to node: out to peers by number, in as events. A sender never waits.
//!
//! Every message replaces the earlier ones to the same peer: DPSDA-R says all that a peer lacks, DPSDA-C and DPSDA-PS say all
//! that was ever put on a link. So a message may be lost, queues are short, and in a full queue the newest wins. Each peer has its
//! own queue on both sides, so a peer that is dead, slow or loud takes nothing from the others.
//!
//! A driver uses [`Transport`]. What all transports do alike is [`session`]; what a network must bring is [`link`].

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

/// What a transport reports. See [`Events::next`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// There is a new connection to a peer, perhaps in place of an older one: it may lack anything that was sent before.
    Connected(usize),
    /// A peer sent this.
    Heard {
        /// Which peer: the link has proved it.
        from: usize,
        /// What, at most as long as any honest frame.
        bytes: Vec<u8>,
    },
    /// No connection to a peer is left. It is dialled again without being asked for.
    Gone(usize),
    /// A member runs another manifest. It was told ours and disconnected.
    Differs {
        /// Which peer.
        from: usize,
        /// Its manifest as a file, for [`crate::manifest::differences`].
        theirs: String,
    },
    /// Something was refused.
    Refused {
        /// The key of the sender. None if that is not known, or if there are too many strangers to name.
        from: Option<PublicKey>,
        /// Why.
        why: Refusal,
        /// How often since this was last reported.
        times: u64,
    },
}

/// What became of a message that was to be sent. It may still be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queued {
    /// It is on its way.
    Taken,
    /// It is, and older ones to the same peer were dropped for it.
    Displaced,
    /// The peer is not connected: the message is dropped. [`Event::Connected`] is the time to tell it everything.
    Away,
    /// There is no peer of this number, or the message is longer than any that a peer would take: it is dropped.
    Unfit,
}

/// Why a peer that is dialled is not connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unreached {
    /// Nobody answers at its address.
    Silent,
    /// The host at its address has another key.
    Stranger,
    /// It answers, and turns this node away.
    Turned,
}

impl std::fmt::Display for Unreached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Silent => "nobody answers at its address",
            Self::Stranger => "the host at its address has another key",
            Self::Turned => "it answers, and turns this node away",
        })
    }
}

/// What went over the links to one peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Traffic {
    /// Whether there is a connection.
    pub connected: bool,
    /// Connections made so far.
    pub connections: u64,
    /// How often it was dialled without success since the last connection.
    pub tried: u64,
    /// Why it was not reached the last time.
    pub unreached: Option<Unreached>,
    /// Messages given to the network.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Messages dropped before they were sent: for newer ones, or because the peer was away.
    pub dropped: u64,
    /// Messages that arrived whole.
    pub heard: u64,
    /// Their bytes.
    pub heard_bytes: u64,
    /// Messages that arrived and were dropped for newer ones before the node asked for them.
    pub unheard: u64,
}

/// What a transport has counted so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// By node.
    pub peers: Vec<Traffic>,
    /// Refused, by member and reason. Strangers are counted together, as None.
    pub refused: BTreeMap<(Option<usize>, Refusal), u64>,
}

/// Carries messages between nodes. Each message arrives once, several times, late, in another order, or not at all.
pub trait Transport: Send + Sync {
    /// Sends, without waiting for anything.
    fn send(&self, to: usize, bytes: Vec<u8>) -> Queued;

    /// What was counted so far.
    fn counts(&self) -> Counts;

    /// Tells all peers that this node leaves, and ends.
    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}
