//! Writes to one peer.

use std::sync::Arc;

use tokio::sync::watch;

use super::Shared;
use super::contact::Numbered;
use crate::transport::link::{Carrier, Link};

/// Writes the messages queued for a peer, as long as the session runs.
pub(super) async fn write<C: Carrier>(shared: Arc<Shared<C>>, to: usize) {
    let Some(contact) = shared.contacts.get(to) else { return };
    let mut newest = contact.newest();
    loop {
        let message = contact.outbox.next().await;
        let sent = loop {
            let Some(Numbered { link, .. }) = newest.borrow_and_update().clone() else { break false };
            match put(&*link, &mut newest, &message).await {
                Put::Written => break true,
                Put::Failed => break false,
                Put::Overtaken => {} // try again over the newer link
            }
        };
        if sent {
            shared.inbox.sent(to, message.len());
        } else {
            shared.inbox.dropped(to, 1); // a peer that is away is sent everything when it is back
        }
    }
}

enum Put {
    Written,
    Failed,
    Overtaken,
}

/// Writes a message to a link, as long as it is the newest link.
async fn put<L: Link>(link: &L, newest: &mut watch::Receiver<Option<Numbered<L>>>, message: &[u8]) -> Put {
    tokio::select! {
        biased; // a message that has been sent is not sent again
        sent = link.send(message) => if sent.is_ok() { Put::Written } else { Put::Failed },
        _ = newest.changed() => Put::Overtaken,
    }
}
