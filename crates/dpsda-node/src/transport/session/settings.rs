//! What a session is told before it speaks, and which settings it refuses.

use std::sync::Arc;
use std::time::Duration;

use crate::entry::Digest;
use crate::frame::Grammar;
use crate::identity::{Identity, PublicKey};

/// The members, this node among them, and the manifest that they run.
pub struct Group {
    /// Which member this node is.
    pub me: usize,
    /// Its key.
    pub identity: Arc<Identity>,
    /// The key of every member, by node.
    pub members: Vec<PublicKey>,
    /// What honest frames look like.
    pub grammar: Grammar,
    /// The digest of the manifest.
    pub manifest: Digest,
    /// The manifest as a file, to be shown to members that run another.
    pub text: String,
}

/// How much a session takes from each peer, and how long it waits.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How long a peer may be silent before its link is taken for dead, and how long dialling and greeting may take.
    pub idle: Duration,
    /// A message that takes longer to arrive is refused.
    pub patience: Duration,
    /// How long dialling again waits at first. It waits twice as long each time.
    pub again_first: Duration,
    /// How long dialling again waits at most.
    pub again_most: Duration,
    /// Messages that wait for one peer, and messages of one peer that wait to be asked for.
    pub queue: usize,
    /// Messages that one peer may send per second. More wait unread, which slows their sender, and are counted.
    pub messages: f64,
    /// How long a member under another manifest is not dialled again.
    pub quarrel: Duration,
    /// Whether the messages of a link are reported in the order in which they were sent, or as they arrive. A node in step with
    /// its peers needs all that they said; others need the newest.
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

/// Why there is no session.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The key is not the member's.
    #[error("member {0}: this node's key is not the manifest's (use the key of this member)")]
    Key(usize),
    /// A network for another number of nodes.
    #[error("a network of {places} nodes for {members} members (give every member its place)")]
    Places {
        /// How many nodes the network has.
        places: usize,
        /// How many members there are.
        members: usize,
    },
    /// A time that does not do.
    #[error("{key} = {found:?}: expected {expected}")]
    Limit {
        /// Which limit.
        key: &'static str,
        /// What was found.
        found: Duration,
        /// What would do.
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
        let expected = "more than nothing and at most again_most";
        return Err(Misfit::Limit { key: "again_first", found: limits.again_first, expected });
    }
    Ok(())
}
