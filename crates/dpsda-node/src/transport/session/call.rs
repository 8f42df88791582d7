//! Dials members, and accepts their calls.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::Shared;
use super::contact::Side;
use super::serve::{Served, serve};
use crate::frame::Refusal;
use crate::transport::Unreached;
use crate::transport::link::{Carrier, Link as _, Parting, Proved};

/// The most callers at one time that have not greeted yet. Further ones wait at the carrier.
const GUESTS: usize = 1024;

/// Dials a peer whenever there is no link to it, as long as the session runs.
pub(super) async fn dial<C: Carrier>(shared: Arc<Shared<C>>, to: usize) {
    let Some(contact) = shared.contacts.get(to).filter(|_| shared.carrier.can_dial(to)) else { return };
    let limits = &shared.limits;
    let mut newest = contact.newest();
    let mut again = limits.again_first;
    loop {
        if newest.wait_for(Option::is_none).await.is_err() {
            return;
        }
        let dialled = tokio::select! {
            biased;
            dialled = timeout(limits.idle, shared.carrier.dial(to)) => dialled,
            _ = newest.wait_for(Option::is_some) => continue, // the peer was faster
        };
        match dialled.unwrap_or(Err(Unreached::Silent)) {
            Ok(Proved { key, link }) if shared.group.members.get(to) != Some(&key) => {
                link.close(Parting::Stranger);
                shared.inbox.unreached(to, Unreached::Stranger);
            }
            Ok(Proved { link, .. }) => {
                let since = Instant::now();
                match serve(&shared, to, Side::Dialled, link, None).await {
                    // Short links do not reset the delay: two processes with one key would replace each other's links without
                    // pause.
                    Served::Spoken if since.elapsed() < limits.idle => {}
                    Served::Spoken => again = limits.again_first,
                    Served::Quarrelled => again = limits.quarrel,
                    Served::Silent => shared.inbox.unreached(to, Unreached::Turned),
                }
            }
            Err(why) => shared.inbox.unreached(to, why),
        }
        if shared.closed.load(Ordering::Relaxed) {
            return;
        }
        tokio::select! {
            () = sleep(again) => again = (2 * again).min(limits.again_most),
            _ = newest.wait_for(Option::is_some) => again = limits.again_first,
        }
    }
}

/// Accepts callers until the carrier closes.
pub(super) async fn accept<C: Carrier>(shared: Arc<Shared<C>>) {
    let mut served = JoinSet::new();
    let guests = Arc::new(Semaphore::new(GUESTS));
    while let Ok(place) = Arc::clone(&guests).acquire_owned().await {
        let Some(guest) = shared.carrier.accept().await else { break };
        while served.try_join_next().is_some() {}
        served.spawn(welcome(Arc::clone(&shared), guest, place));
    }
    if !shared.closed.load(Ordering::Relaxed) {
        shared.end(); // the carrier has closed by itself
    }
}

async fn welcome<C: Carrier>(shared: Arc<Shared<C>>, guest: C::Guest, place: OwnedSemaphorePermit) {
    let proved = timeout(shared.limits.idle, shared.carrier.welcome(guest)).await;
    let Ok(Some(Proved { key, link })) = proved else { return };
    let peer = shared.group.members.iter().position(|member| *member == key);
    match peer.filter(|peer| *peer != shared.group.me) {
        Some(peer) => _ = serve(&shared, peer, Side::Accepted, link, Some(place)).await,
        None => {
            shared.inbox.refused(Some(key), Refusal::UnknownKey);
            link.close(Parting::Stranger);
        }
    }
}
