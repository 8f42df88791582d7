//! The part that all transports share, over any [`Carrier`]: greetings, manifests, limits, queues, dialling again, counts.
//!
//! The first message on a link is [`Frame::Hello`], in both directions. If the manifests differ, each side sends its own and
//! disconnects. Either side may dial, and each link carries messages in both directions. Messages go over the newest link. So a
//! node that restarts after a crash gets messages as soon as it has dialled, long before its old link is known to be dead.
//!
//! Whatever a peer does, it can make a node keep at most two messages of the longest kind per queue and per reader.

mod call;
mod contact;
mod inbox;
mod outbox;
mod queue;
mod serve;
mod settings;
mod write;

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinSet;

use self::contact::Contact;
use self::inbox::Inbox;
use super::link::{Carrier, Link as _, Parting};
use super::{Counts, Queued, Transport};
use crate::frame::{Frame, Refusal};
use crate::identity::PublicKey;

pub use self::inbox::Events;
pub use self::settings::{Group, Limits, Misfit};

/// A session without a network yet.
pub struct Session {
    group: Group,
    limits: Limits,
    inbox: Arc<Inbox>,
    events: Events,
}

impl Session {
    /// The session of one member of a group.
    pub fn new(group: Group, limits: Limits) -> Result<Self, Misfit> {
        settings::check(&group, &limits)?;
        let room = 2 * group.grammar.longest();
        let (inbox, events) = Inbox::new(group.members.clone(), limits.queue, room);
        Ok(Self { group, limits, inbox, events })
    }

    /// The counter for callers that a carrier turns away itself.
    pub fn refusals(&self) -> Refusals {
        Refusals(Arc::clone(&self.inbox))
    }

    /// Runs the session over a network: dials members, accepts their calls, and reports events. Call this on a tokio runtime.
    pub fn over<C: Carrier>(self, carrier: C) -> (Running<C>, Events) {
        let Self { group, limits, inbox, events } = self;
        let longest = group.grammar.longest();
        let shared = Arc::new(Shared {
            carrier,
            hello: Frame::Hello { manifest: group.manifest }.bytes(),
            longest,
            inbox,
            contacts: group.members.iter().map(|_| Contact::new(&limits, longest)).collect(),
            closed: AtomicBool::new(false),
            limits,
            group,
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(call::accept(Arc::clone(&shared)));
        for peer in (0..shared.contacts.len()).filter(|peer| *peer != shared.group.me) {
            tasks.spawn(call::dial(Arc::clone(&shared), peer));
            tasks.spawn(write::write(Arc::clone(&shared), peer));
        }
        (Running { shared, tasks: Mutex::new(tasks) }, events)
    }
}

/// Counts callers that a carrier turns away itself.
#[derive(Debug, Clone)]
pub struct Refusals(Arc<Inbox>);

impl Refusals {
    /// Counts one caller, by its key if it is known.
    pub fn count(&self, from: Option<PublicKey>, why: Refusal) {
        self.0.refused(from, why);
    }
}

/// A session over a network. Dropping it is a crash: no peer is told.
pub struct Running<C: Carrier> {
    shared: Arc<Shared<C>>,
    /// The tasks of the session. They end when this is dropped.
    tasks: Mutex<JoinSet<()>>,
}

/// The state that all tasks of a session share.
struct Shared<C: Carrier> {
    carrier: C,
    group: Group,
    /// The first message of every link.
    hello: Vec<u8>,
    longest: usize,
    limits: Limits,
    inbox: Arc<Inbox>,
    /// By node.
    contacts: Vec<Contact<C::Link>>,
    /// Whether the session has ended: nothing more is sent or dialled.
    closed: AtomicBool,
}

impl<C: Carrier> Shared<C> {
    /// Counts a refusal of a member.
    fn refuse(&self, peer: usize, why: Refusal) {
        self.inbox.refused(self.group.members.get(peer).copied(), why);
    }

    fn end(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.inbox.end();
    }
}

impl<C: Carrier> Running<C> {
    /// The network that carries it.
    pub fn carrier(&self) -> &C {
        &self.shared.carrier
    }

    /// All open links, by node.
    pub fn links(&self) -> Vec<(usize, Arc<C::Link>)> {
        let contacts = self.shared.contacts.iter().enumerate();
        contacts
            .flat_map(|(peer, contact)| contact.links().into_iter().map(move |link| (peer, link)))
            .collect()
    }
}

impl<C: Carrier> Transport for Running<C> {
    fn send(&self, to: usize, bytes: Vec<u8>) -> Queued {
        let shared = &*self.shared;
        let Some(contact) = shared.contacts.get(to).filter(|_| to != shared.group.me) else {
            return Queued::Unfit;
        };
        if bytes.len() > shared.longest {
            return Queued::Unfit;
        }
        if !contact.is_linked() || shared.closed.load(Ordering::Relaxed) {
            shared.inbox.dropped(to, 1);
            return Queued::Away;
        }
        match contact.outbox.push(bytes) {
            0 => Queued::Taken,
            displaced => {
                shared.inbox.dropped(to, displaced);
                Queued::Displaced
            }
        }
    }

    fn counts(&self) -> Counts {
        self.shared.inbox.counts()
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async {
            self.shared.closed.store(true, Ordering::Relaxed);
            self.links().iter().for_each(|(_, link)| link.close(Parting::Leaving));
            self.shared.carrier.close().await;
            let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
            tasks.shutdown().await;
            self.shared.end();
        })
    }
}

impl<C: Carrier> Drop for Running<C> {
    fn drop(&mut self) {
        self.shared.end();
    }
}
