//! Who may come in: members. And how often anybody may knock.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use iroh::Endpoint;
use iroh::endpoint::{AfterHandshakeOutcome, Connection, EndpointHooks, Incoming, IncomingAddr, VarInt};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::wire::code;
use super::{Limits, Shared, serve};
use crate::frame::Refusal;
use crate::identity::PublicKey;
use crate::transport::bucket::Bucket;
use crate::transport::inbox::Inbox;

/// Refuses everybody but members, as soon as the handshake has shown who it is.
#[derive(Debug)]
pub(super) struct Allow {
    pub(super) members: Vec<PublicKey>,
    pub(super) inbox: Arc<Inbox>,
}

impl EndpointHooks for Allow {
    async fn after_handshake<'a>(&'a self, connection: &'a Connection) -> AfterHandshakeOutcome {
        let key = key(connection);
        if key.is_some_and(|key| self.members.contains(&key)) {
            return AfterHandshakeOutcome::Accept;
        }
        self.inbox.refused(key, Refusal::UnknownKey);
        let error_code = VarInt::from_u32(code::UNKNOWN_KEY);
        AfterHandshakeOutcome::Reject { error_code, reason: b"not a member".to_vec() }
    }
}

/// As the handshake has proved it.
fn key(connection: &Connection) -> Option<PublicKey> {
    PublicKey::from_bytes(*connection.remote_id().as_bytes()).ok()
}

/// Handshakes cost a signature each, so they are counted before they begin: by address, since keys are not known yet. Each
/// address of a member has its own count, all others share one.
pub(super) struct Door(Mutex<State>);

struct State {
    members: BTreeMap<SocketAddr, Bucket>,
    /// Where members came from last, if that is not where they were said to be.
    found: Vec<Option<(SocketAddr, Bucket)>>,
    strangers: Bucket,
    fresh: Bucket,
}

/// What is done with one who knocks.
#[derive(Debug, PartialEq, Eq)]
enum Knock {
    Open,
    /// It must first show that it is where it says: that costs us nothing.
    Prove,
    Ignore,
}

impl Door {
    pub(super) fn new(addresses: &[Vec<SocketAddr>], limits: &Limits) -> Self {
        let now = Instant::now();
        let fresh = Bucket::new(limits.handshakes, 2.0 * limits.handshakes, now);
        Self(Mutex::new(State {
            members: addresses.iter().flatten().map(|address| (*address, fresh.clone())).collect(),
            found: vec![None; addresses.len()],
            strangers: Bucket::new(limits.strangers, 2.0 * limits.strangers, now),
            fresh,
        }))
    }

    fn knock(&self, from: Option<SocketAddr>, proved: bool, now: Instant) -> Knock {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { members, found, strangers, .. } = &mut *state;
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

    /// A member came from here.
    fn remember(&self, member: usize, from: Option<SocketAddr>) {
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

/// Lets members in, for as long as the endpoint is open.
pub(super) async fn accept(shared: Arc<Shared>, endpoint: Endpoint) {
    let mut served = JoinSet::new();
    while let Some(incoming) = endpoint.accept().await {
        while served.try_join_next().is_some() {}
        let from = match incoming.remote_addr() {
            IncomingAddr::Ip(address) => Some(SocketAddr::new(address.ip().to_canonical(), address.port())),
            _ => None, // over a relay: no address that could be forged, or proved
        };
        match shared.door.knock(from, incoming.remote_addr_validated(), Instant::now()) {
            Knock::Open => _ = served.spawn(welcome(Arc::clone(&shared), incoming, from)),
            Knock::Prove => _ = incoming.retry(), // one that has proved it is not asked again
            Knock::Ignore => {
                incoming.ignore();
                shared.inbox.refused(None, Refusal::Flood);
            }
        }
    }
}

async fn welcome(shared: Arc<Shared>, incoming: Incoming, from: Option<SocketAddr>) {
    let Ok(accepting) = incoming.accept() else { return };
    let Ok(Ok(connection)) = timeout(shared.limits.idle, accepting).await else { return };
    let members = &shared.group.members;
    let Some(peer) = key(&connection).and_then(|key| members.iter().position(|member| *member == key)) else {
        return;
    };
    shared.door.remember(peer, from);
    serve::serve(&shared, peer, connection).await;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn strangers_share_one_count_and_members_have_their_own() {
        let at = |port| Some(SocketAddr::from(([10, 0, 0, 1], port)));
        let limits = Limits { strangers: 10.0, handshakes: 20.0, ..Limits::default() };
        let door = Door::new(&[vec![], vec![at(1).unwrap()], vec![]], &limits);
        let now = Instant::now();
        let knocks = (0..1000).map(|k| door.knock(at(100 + k), true, now));
        assert_eq!(knocks.filter(|knock| *knock == Knock::Open).count(), 20);
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
