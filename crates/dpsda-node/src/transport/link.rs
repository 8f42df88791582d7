//! The traits that a network implements for a session: it finds members, proves their keys, and carries whole messages.
//!
//! A new transport implements three traits. [`Carrier`] makes connections, [`Link`] is one connection, [`Incoming`] is one
//! incoming message. The session does everything else: greetings, manifests, limits, queues, dialling again and counts.
//! If bytes keep their order, [`Pipe`](super::pipe::Pipe) is the link, and only a carrier is left to write:
//! `tests/own_transport/tcp.rs` is an example outside of this crate.

use std::fmt;
use std::future::Future;
use std::io;

use super::Unreached;
use crate::frame::Refusal;
use crate::identity::PublicKey;

/// Makes connections to members.
pub trait Carrier: Send + Sync + 'static {
    /// One connection.
    type Link: Link;

    /// A caller that has not shown its key yet.
    type Guest: Send + 'static;

    /// Dials a member. The session ends an attempt that takes too long, and tries again.
    fn dial(&self, peer: usize) -> impl Future<Output = Result<Proved<Self::Link>, Unreached>> + Send;

    /// Whether a member can be dialled at all. A member without an address can still dial this node.
    fn can_dial(&self, _peer: usize) -> bool {
        true
    }

    /// The next caller. None when the carrier has closed, which ends the session.
    fn accept(&self) -> impl Future<Output = Option<Self::Guest>> + Send;

    /// Lets a caller prove its key. None if it fails. Callers are served in parallel, and the session drops a slow one.
    fn welcome(&self, guest: Self::Guest) -> impl Future<Output = Option<Proved<Self::Link>>> + Send;

    /// Releases the network. The session has closed its links before.
    fn close(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// A link, and the key that the peer at its other end has proved. The session decides whether it is a member's key.
pub struct Proved<L> {
    /// The key.
    pub key: PublicKey,
    /// The link.
    pub link: L,
}

/// One connection to one peer. Both sides send messages over it, and the session never sends two at a time.
///
/// A link must notice that its peer has died, and end.
pub trait Link: Send + Sync + 'static {
    /// An incoming message.
    type Incoming: Incoming;

    /// Gives a message to the network. If this future is dropped early, the peer must not mistake the part that was sent for a
    /// whole message. A link that cannot ensure this may end instead.
    fn send(&self, message: &[u8]) -> impl Future<Output = Result<(), Lost>> + Send;

    /// The same for the last message before the link is closed. Returns when the peer has received it, as far as a link can know.
    fn deliver(&self, message: &[u8]) -> impl Future<Output = Result<(), Lost>> + Send {
        self.send(message)
    }

    /// The next message from the peer, in the order in which the peer began to send them. None when the link has ended.
    fn next(&self) -> impl Future<Output = Option<Self::Incoming>> + Send;

    /// The greeting is over. Before it, all messages are short.
    fn greeted(&self) {}

    /// Ends the link. The reason is only for people who read traces.
    fn close(&self, why: Parting);
}

/// An incoming message. Its length is known before its bytes are read, so that a message that is too long is refused unread. If
/// it is dropped early, the rest is not read.
pub trait Incoming: Send + 'static {
    /// Its length, as the sender states it.
    fn length(&mut self) -> impl Future<Output = Result<usize, Unread>> + Send;

    /// All its bytes. Called once, after `length`.
    fn bytes(&mut self) -> impl Future<Output = Result<Vec<u8>, Unread>> + Send;
}

/// A message could not be sent, because the link has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;

/// Why a message was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// Its sender gave it up or is gone.
    Lost,
    /// Its sender is at fault, and the refusal is counted.
    Refused(Refusal),
}

impl From<Lost> for Unread {
    fn from(_: Lost) -> Self {
        Self::Lost
    }
}

impl From<io::Error> for Lost {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl From<io::Error> for Unread {
    fn from(_: io::Error) -> Self {
        Self::Lost
    }
}

/// Why a session closes a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parting {
    /// The key is not a member's.
    Stranger,
    /// The peer runs another manifest.
    OtherManifest,
    /// The peer has made a newer connection.
    Replaced,
    /// The first message was not a greeting.
    NoGreeting,
    /// No first message arrived.
    Silent,
    /// This node leaves.
    Leaving,
}

impl Parting {
    /// The reason in words, for traces.
    pub fn words(self) -> &'static str {
        match self {
            Self::Stranger => "not a member",
            Self::OtherManifest => "another manifest",
            Self::Replaced => "there is a newer connection",
            Self::NoGreeting => "that is no greeting",
            Self::Silent => "no greeting came",
            Self::Leaving => "this node leaves",
        }
    }
}

impl fmt::Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}
