//! The settings of a session, and the checks on them.

use std::sync::Arc;
use std::time::Duration;

use crate::entry::Digest;
use crate::frame::Grammar;
use crate::identity::{Identity, PublicKey};

/// The members, including this node, and the manifest that they run.
pub struct Group {
    /// The number of this node.
    pub me: usize,
    /// Its key.
    pub identity: Arc<Identity>,
    /// The key of every member, by node.
    pub members: Vec<PublicKey>,
    /// The shape of valid frames.
    pub grammar: Grammar,
    /// The digest of the manifest.
    pub manifest: Digest,
    /// The manifest file, which is sent to members that run another one.
    pub text: String,
}

/// The limits of a session for each peer, and its waiting times.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How long a peer may be silent before its link counts as dead. Also how long dialling and greeting may take.
    pub idle: Duration,
    /// A message that takes longer to arrive is refused.
    pub patience: Duration,
    /// The first wait before dialling again. Each further wait is twice as long.
    pub again_first: Duration,
    /// The longest wait before dialling again.
    pub again_most: Duration,
    /// The most messages that wait to be sent to one peer, and the most messages of one peer that wait to be read.
    pub queue: usize,
    /// Messages that one peer may send per second. Further ones wait unread, which slows their sender, and are counted.
    pub messages: f64,
    /// The wait before dialling a member with another manifest again.
    pub quarrel: Duration,
    /// Whether messages of a link are reported in the order in which they were sent, or as they arrive. A lock-step node needs
    /// all messages of its peers; other nodes need the newest.
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
            quarrel: Duration::from_secs(5),
            in_turn: false,
        }
    }
}

/// Why a session could not be made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The key is not the member's key.
    #[error("member {0}: this node's key is not the key in the manifest (use the key of this member)")]
    Key(usize),
    /// The network has another number of nodes.
    #[error(
        "the network has {places} nodes, but there are {members} members (make a network with one node per member)"
    )]
    Places {
        /// The number of nodes of the network.
        places: usize,
        /// The number of members.
        members: usize,
    },
    /// A time outside its range.
    #[error("{key} = {found:?}: expected {expected}")]
    Limit {
        /// The name of the limit.
        key: &'static str,
        /// The value found.
        found: Duration,
        /// The values allowed.
        expected: &'static str,
    },
}

pub(super) fn check(group: &Group, limits: &Limits) -> Result<(), Misfit> {
    if group.members.get(group.me) != Some(&group.identity.public()) {
        return Err(Misfit::Key(group.me));
    }
    let (least, most) = (Duration::from_millis(100), Duration::from_secs(15));
    if !(least..=most).contains(&limits.idle) {
        let expected = "from 100 ms to 15 s";
        return Err(Misfit::Limit { key: "idle", found: limits.idle, expected });
    }
    if limits.again_first.is_zero() || limits.again_first > limits.again_most {
        let expected = "more than 0 and at most again_most";
        return Err(Misfit::Limit { key: "again_first", found: limits.again_first, expected });
    }
    Ok(())
}
