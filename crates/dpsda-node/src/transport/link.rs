//! What a network has to do for a session: find members, prove their keys, and carry whole messages.
//!
//! A new transport implements three traits. [`Carrier`] makes connections, [`Link`] is one connection, [`Incoming`] is one
//! message on its way in. Everything else is the session's: greetings, manifests, limits, queues, dialling again and counts.
//! Where bytes keep their order, [`Pipe`](super::pipe::Pipe) is the link, and a carrier is all there is to write:
//! `tests/own_transport/tcp.rs` is one, outside of this crate.

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

    /// Lets a caller prove its key. None if it did not. Callers are served side by side, and a slow one is given up.
    fn welcome(&self, guest: Self::Guest) -> impl Future<Output = Option<Proved<Self::Link>>> + Send;

    /// Lets go of the network. The session has closed its links before.
    fn close(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// A link, and the key that the peer at its other end has proved to hold. The session decides whether that is a member's.
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
    /// A message on its way in.
    type Incoming: Incoming;

    /// Gives a message to the network. If this future is dropped early, the peer must not take the part that was sent for a whole
    /// message. A link that cannot take it back may end instead.
    fn send(&self, message: &[u8]) -> impl Future<Output = Result<(), Lost>> + Send;

    /// The same for the last message before the link is closed: returns when the peer has it, as far as a link can know.
    fn deliver(&self, message: &[u8]) -> impl Future<Output = Result<(), Lost>> + Send {
        self.send(message)
    }

    /// The next message that the peer began to send, in the order in which it began them. None when the link has ended.
    fn next(&self) -> impl Future<Output = Option<Self::Incoming>> + Send;

    /// The greeting is over. Until now the peer had nothing long to say.
    fn greeted(&self) {}

    /// Ends the link. The reason is for people who read traces: nothing depends on it.
    fn close(&self, why: Parting);
}

/// A message on its way in. Its length is known before its bytes are read, so that giants are refused unread. If it is dropped
/// early, nobody wants the rest.
pub trait Incoming: Send + 'static {
    /// Its length, as its sender says.
    fn length(&mut self) -> impl Future<Output = Result<usize, Unread>> + Send;

    /// All of it. Called once, after its length.
    fn bytes(&mut self) -> impl Future<Output = Result<Vec<u8>, Unread>> + Send;
}

/// A message that could not be sent: the link is at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;

/// Why a message was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// Its sender gave it up, or is gone.
    Lost,
    /// Its sender is to blame, and is counted for it.
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
    /// The first message was no greeting.
    NoGreeting,
    /// No first message came.
    Silent,
    /// This node leaves.
    Leaving,
}

impl Parting {
    /// In words, for traces.
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
