//! Admits members only, and limits how often anyone may try to connect.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use iroh::endpoint::{AfterHandshakeOutcome, Connection, EndpointHooks, VarInt};
use tokio::time::Instant;

use super::Knocks;
use super::link::code;
use crate::frame::Refusal;
use crate::identity::PublicKey;
use crate::transport::bucket::Bucket;
use crate::transport::link::Parting;
use crate::transport::session::Refusals;

/// Refuses everyone but members, as soon as the handshake has shown the key.
#[derive(Debug)]
pub(super) struct Allow {
    pub(super) members: Vec<PublicKey>,
    pub(super) refusals: Refusals,
}

impl EndpointHooks for Allow {
    async fn after_handshake<'a>(&'a self, connection: &'a Connection) -> AfterHandshakeOutcome {
        let key = key(connection);
        if key.is_some_and(|key| self.members.contains(&key)) {
            return AfterHandshakeOutcome::Accept;
        }
        self.refusals.count(key, Refusal::UnknownKey);
        let error_code = VarInt::from_u32(code::UNKNOWN_KEY);
        AfterHandshakeOutcome::Reject { error_code, reason: Parting::Stranger.words().into() }
    }
}

/// The key of the other end, as the handshake has proved it.
pub(super) fn key(connection: &Connection) -> Option<PublicKey> {
    PublicKey::from_bytes(*connection.remote_id().as_bytes()).ok()
}

/// Each handshake costs a signature, so handshakes are counted before they begin. They are counted by address, because keys are
/// not known yet. Each address of a member has its own count; all other addresses share one.
pub(super) struct Door(Mutex<Counters>);

struct Counters {
    members: BTreeMap<SocketAddr, Bucket>,
    /// The last address of each member, if it is not one of its configured addresses.
    found: Vec<Option<(SocketAddr, Bucket)>>,
    strangers: Bucket,
    fresh: Bucket,
}

/// What to do with a caller.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Knock {
    Open,
    /// The caller must first prove its address. That costs this node almost nothing.
    Prove,
    Ignore,
}

impl Door {
    pub(super) fn new(addresses: &[Vec<SocketAddr>], knocks: Knocks) -> Self {
        let now = Instant::now();
        let fresh = Bucket::new(knocks.members, 2.0 * knocks.members, now);
        Self(Mutex::new(Counters {
            members: addresses.iter().flatten().map(|address| (*address, fresh.clone())).collect(),
            found: vec![None; addresses.len()],
            strangers: Bucket::new(knocks.strangers, 2.0 * knocks.strangers, now),
            fresh,
        }))
    }

    pub(super) fn knock(&self, from: Option<SocketAddr>, proved: bool, now: Instant) -> Knock {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Counters { members, found, strangers, .. } = &mut *state;
        let known = from.and_then(|from| {
            let mut found = found.iter_mut().flatten();
            members.get_mut(&from).or_else(|| found.find(|(at, _)| *at == from).map(|(_, bucket)| bucket))
        });
        let bucket = known.unwrap_or(strangers);
        if !proved && from.is_some() && bucket.is_low(now) {
            return Knock::Prove;
        }
        if bucket.take(now).is_ok() { Knock::Open } else { Knock::Ignore }
    }

    /// Remembers the address that a member called from.
    pub(super) fn remember(&self, member: usize, from: Option<SocketAddr>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(from) = from.filter(|from| !state.members.contains_key(from)) else { return };
        let fresh = state.fresh.clone();
        if let Some(found) = state.found.get_mut(member)
            && found.as_ref().is_none_or(|(at, _)| *at != from)
        {
            *found = Some((from, fresh));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn strangers_share_one_count_and_members_have_their_own() {
        let at = |port| Some(SocketAddr::from(([10, 0, 0, 1], port)));
        let knocks = Knocks { strangers: 10.0, members: 20.0 };
        let door = Door::new(&[vec![], vec![at(1).unwrap()], vec![]], knocks);
        let now = Instant::now();
        let opened = (0..1000).map(|k| door.knock(at(100 + k), true, now));
        assert_eq!(opened.filter(|knock| *knock == Knock::Open).count(), 20);
        assert_eq!(door.knock(at(1), true, now), Knock::Open, "whatever strangers do");
        assert_eq!(door.knock(at(2), true, now), Knock::Ignore);
        door.remember(2, at(2));
        assert_eq!(door.knock(at(2), true, now), Knock::Open, "a member was seen here");
        assert_eq!(door.knock(at(3), false, now), Knock::Prove, "before anything is spent on it");
        let later = now + Duration::from_secs(1);
        assert_eq!((0..1000).filter(|_| door.knock(at(1), true, later) == Knock::Open).count(), 40);
        assert_eq!(door.knock(at(1), false, later), Knock::Prove, "it may be forged");
    }
}
