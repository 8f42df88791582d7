//! Events that wait until the node takes them. Each peer has a slot, and slots are served in turn: a loud peer is heard no more
//! often than others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::queue::{Queue, Turn};
use crate::frame::Refusal;
use crate::identity::PublicKey;
use crate::transport::{Counts, Event, Traffic, Unreached};

/// The most strangers named between two reports, because strangers can make new keys at no cost.
const NAMED: usize = 64;

/// The events of a transport.
#[derive(Debug)]
pub struct Events(Arc<Inbox>);

impl Events {
    /// The next event; peers take turns. For one peer the order is: connected, its messages, gone. None when the transport has
    /// ended and all events were taken.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            let woken = self.0.woken.notified();
            {
                let mut state = self.0.lock();
                if let Some(event) = state.take() {
                    return Some(event);
                }
                if state.ended {
                    return None;
                }
            }
            woken.await;
        }
    }

    /// The next event, if there is one now.
    pub fn try_next(&mut self) -> Option<Event> {
        self.0.lock().take()
    }
}

#[derive(Debug)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    woken: Notify,
    members: Vec<PublicKey>,
}

#[derive(Debug)]
struct Waiting {
    slots: Vec<Slot>,
    /// Refusals since the last report.
    refused: BTreeMap<(Option<PublicKey>, Refusal), u64>,
    /// The slot that is served next. The index after the last slot means the refusals.
    turn: usize,
    ended: bool,
    counts: Counts,
}

#[derive(Debug)]
struct Slot {
    connected: bool,
    heard: Queue,
    differs: Option<String>,
    gone: bool,
}

impl Inbox {
    /// With room for `most` messages and `most_bytes` bytes of every member.
    pub(super) fn new(members: Vec<PublicKey>, most: usize, most_bytes: usize) -> (Arc<Self>, Events) {
        let peers = members.len();
        let slot =
            || Slot { connected: false, heard: Queue::new(most, most_bytes), differs: None, gone: false };
        let waiting = Waiting {
            slots: (0..peers).map(|_| slot()).collect(),
            refused: BTreeMap::new(),
            turn: 0,
            ended: false,
            counts: Counts { peers: vec![Traffic::default(); peers], refused: BTreeMap::new() },
        };
        let inbox = Arc::new(Self { waiting: Mutex::new(waiting), woken: Notify::new(), members });
        (Arc::clone(&inbox), Events(inbox))
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, change: impl FnOnce(&mut Waiting)) {
        let mut state = self.lock();
        if !state.ended {
            change(&mut state);
            drop(state);
            self.woken.notify_one();
        }
    }

    fn of(&self, peer: usize, change: impl FnOnce(&mut Slot, &mut Traffic)) {
        self.tell(|state| {
            if let (Some(slot), Some(traffic)) = (state.slots.get_mut(peer), state.counts.peers.get_mut(peer))
            {
                change(slot, traffic);
            }
        });
    }

    pub(super) fn connected(&self, peer: usize) {
        self.of(peer, |slot, traffic| {
            (slot.connected, slot.gone) = (true, false);
            traffic.connected = true;
            traffic.connections += 1;
            (traffic.tried, traffic.unreached) = (0, None);
        });
    }

    pub(super) fn unreached(&self, peer: usize, why: Unreached) {
        self.of(peer, |_, traffic| {
            traffic.tried += 1;
            traffic.unreached = Some(why);
        });
    }

    pub(super) fn gone(&self, peer: usize) {
        self.of(peer, |slot, traffic| {
            slot.gone = true;
            traffic.connected = false;
        });
    }

    pub(super) fn heard(&self, peer: usize, turn: Turn, bytes: Vec<u8>) {
        self.of(peer, |slot, traffic| {
            traffic.heard += 1;
            traffic.heard_bytes += bytes.len() as u64;
            traffic.unheard += slot.heard.push(turn, bytes);
        });
    }

    pub(super) fn differs(&self, peer: usize, theirs: String) {
        self.of(peer, |slot, _| slot.differs = Some(theirs));
    }

    pub(super) fn sent(&self, peer: usize, bytes: usize) {
        if let Some(traffic) = self.lock().counts.peers.get_mut(peer) {
            traffic.sent += 1;
            traffic.sent_bytes += bytes as u64;
        }
    }

    pub(super) fn dropped(&self, peer: usize, messages: u64) {
        if let Some(traffic) = self.lock().counts.peers.get_mut(peer) {
            traffic.dropped += messages;
        }
    }

    pub(super) fn refused(&self, from: Option<PublicKey>, why: Refusal) {
        let member = from.and_then(|key| self.members.iter().position(|member| *member == key));
        self.tell(|state| {
            *state.counts.refused.entry((member, why)).or_default() += 1;
            let full = member.is_none() && state.refused.len() >= NAMED + self.members.len();
            let named = from.filter(|_| !full || state.refused.contains_key(&(from, why)));
            *state.refused.entry((named, why)).or_default() += 1;
        });
    }

    /// Ends the events: later ones are ignored.
    pub(super) fn end(&self) {
        self.tell(|state| state.ended = true);
    }

    pub(super) fn counts(&self) -> Counts {
        self.lock().counts.clone()
    }
}

impl Waiting {
    fn take(&mut self) -> Option<Event> {
        for _ in 0..=self.slots.len() {
            let turn = self.turn;
            self.turn = (turn + 1) % (self.slots.len() + 1);
            let event = match self.slots.get_mut(turn) {
                Some(slot) => slot.take(turn),
                None => {
                    self.refused.pop_first().map(|((from, why), times)| Event::Refused { from, why, times })
                }
            };
            if event.is_some() {
                return event;
            }
        }
        None
    }
}

impl Slot {
    fn take(&mut self, peer: usize) -> Option<Event> {
        if std::mem::take(&mut self.connected) {
            return Some(Event::Connected(peer));
        }
        if let Some(bytes) = self.heard.pop() {
            return Some(Event::Heard { from: peer, bytes });
        }
        if let Some(theirs) = self.differs.take() {
            return Some(Event::Differs { from: peer, theirs });
        }
        std::mem::take(&mut self.gone).then_some(Event::Gone(peer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identity;

    fn key(k: u16) -> PublicKey {
        let mut secret = [7; 32];
        secret[..2].copy_from_slice(&k.to_le_bytes());
        Identity::from_secret(secret).public()
    }

    fn inbox() -> (Arc<Inbox>, Events) {
        Inbox::new(vec![key(0), key(1), key(2)], 4, 1 << 20)
    }

    #[test]
    fn a_loud_peer_is_heard_no_more_often_than_others_and_loses_its_oldest() {
        let (inbox, mut events) = inbox();
        (0..100).for_each(|k| inbox.heard(0, Turn(0, k.into()), vec![k]));
        (0..2).for_each(|k| inbox.heard(2, Turn(0, k.into()), vec![k]));
        let order: Vec<_> = std::iter::from_fn(|| events.try_next())
            .map(|event| match event {
                Event::Heard { from, bytes } => (from, bytes[0]),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(order, [(0, 96), (2, 0), (0, 97), (2, 1), (0, 98), (0, 99)]);
        let peers = inbox.counts().peers;
        assert_eq!((peers[0].heard, peers[0].unheard, peers[2].unheard), (100, 96, 0));
    }

    #[test]
    fn a_connection_is_reported_before_its_messages_and_its_end_after() {
        let (inbox, mut events) = inbox();
        inbox.heard(1, Turn(0, 5), vec![5]);
        inbox.gone(1);
        inbox.connected(1);
        inbox.gone(1);
        let told: Vec<_> = std::iter::from_fn(|| events.try_next()).collect();
        assert_eq!(told, [Event::Connected(1), Event::Heard { from: 1, bytes: vec![5] }, Event::Gone(1)]);
        inbox.gone(1);
        inbox.connected(1);
        assert_eq!(events.try_next(), Some(Event::Connected(1)), "and not that it is gone");
        assert_eq!(events.try_next(), None);
    }

    #[test]
    fn strangers_are_all_counted_but_only_some_are_named() {
        let (inbox, mut events) = inbox();
        for k in 0..500 {
            inbox.refused(Some(key(100 + k)), Refusal::UnknownKey);
        }
        (0..7).for_each(|_| inbox.refused(Some(key(1)), Refusal::TooLarge));
        assert!(inbox.lock().refused.len() <= NAMED + 3 + 2);
        let mut total = 0;
        while let Some(Event::Refused { times, from, why }) = events.try_next() {
            total += times;
            assert_eq!(why == Refusal::TooLarge, from == Some(key(1)));
        }
        assert_eq!(total, 507);
        assert_eq!(inbox.counts().refused[&(None, Refusal::UnknownKey)], 500);
        assert_eq!(inbox.counts().refused[&(Some(1), Refusal::TooLarge)], 7);
    }

    #[tokio::test]
    async fn after_the_end_earlier_events_are_given_and_then_none() {
        let (inbox, mut events) = inbox();
        inbox.heard(0, Turn(0, 1), vec![1]);
        inbox.end();
        inbox.heard(0, Turn(0, 2), vec![2]);
        assert_eq!(events.next().await, Some(Event::Heard { from: 0, bytes: vec![1] }));
        assert_eq!(events.next().await, None);
        assert_eq!(events.next().await, None);
    }
}
