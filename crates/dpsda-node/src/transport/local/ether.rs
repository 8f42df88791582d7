//! Who is there, which links are cut, and what is under way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dpsda::rng::{Purpose, Seed, Stream};
use rand::RngExt;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::Weather;
use crate::transport::inbox::{Events, Inbox};
use crate::transport::{Counts, Queued};

pub(super) struct Ether {
    nodes: usize,
    state: Mutex<State>,
    woken: Notify,
}

struct State {
    weather: Weather,
    /// Who is there, and in which of its lives.
    ports: Vec<Option<Port>>,
    lives: u64,
    /// Links that carry nothing, by sender and receiver, and since when.
    cut: BTreeMap<(usize, usize), Instant>,
    /// Pairs that hold each other for connected, the smaller number first.
    linked: BTreeSet<(usize, usize)>,
    /// Messages sent so far on every link.
    sent: BTreeMap<(usize, usize), u64>,
    /// What is due when. Of two at the same time the order is that of links and messages, not that of calls.
    due: BTreeMap<(Instant, Due), Vec<u8>>,
}

struct Port {
    inbox: Arc<Inbox>,
    life: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// A message arrives, if its receiver still lives the same life.
    Arrival { from: usize, to: usize, number: u64, copy: u8, life: u64 },
    /// Whether two still reach each other is looked at.
    Look(usize, usize),
}

fn pair(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

impl Ether {
    pub(super) fn new(nodes: usize, weather: Weather) -> Self {
        let state = State {
            weather,
            ports: (0..nodes).map(|_| None).collect(),
            lives: 0,
            cut: BTreeMap::new(),
            linked: BTreeSet::new(),
            sent: BTreeMap::new(),
            due: BTreeMap::new(),
        };
        Self { nodes, state: Mutex::new(state), woken: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn join(&self, node: usize) -> Option<(u64, Events)> {
        let mut state = self.lock();
        let (inbox, events) =
            Inbox::new(self.nodes, Vec::new(), state.weather.queue, 2 * state.weather.longest);
        state.lives += 1;
        let life = state.lives;
        if let Some(old) = state.ports.get_mut(node)?.replace(Port { inbox, life }) {
            old.inbox.end();
        }
        for other in 0..self.nodes {
            state.linked.remove(&pair(node, other));
            state.link(node, other);
        }
        Some((life, events))
    }

    /// A node goes. If it says so, all know it at once.
    pub(super) fn leave(&self, node: usize, life: u64, says_so: bool) {
        let mut state = self.lock();
        let Some(port) = state.ports.get_mut(node).and_then(|port| port.take_if(|port| port.life == life))
        else {
            return;
        };
        port.inbox.end();
        for other in 0..self.nodes {
            if says_so {
                state.unlink(node, other);
            } else {
                state.look_later(node, other);
            }
        }
        drop(state);
        self.woken.notify_one();
    }

    pub(super) fn cut(&self, from: usize, to: usize) {
        let mut state = self.lock();
        state.cut.entry((from, to)).or_insert_with(Instant::now);
        state.look_later(from, to);
        drop(state);
        self.woken.notify_one();
    }

    pub(super) fn heal(&self, from: usize, to: usize) {
        let mut state = self.lock();
        state.cut.remove(&(from, to));
        state.link(from, to);
    }

    pub(super) fn lose(&self, share: f64) {
        self.lock().weather.loss = share;
    }

    pub(super) fn send(&self, from: usize, life: u64, to: usize, bytes: Vec<u8>) -> Queued {
        let mut state = self.lock();
        if to >= self.nodes || to == from || bytes.len() > state.weather.longest {
            return Queued::Unfit;
        }
        let Some(sender) = state.inbox(from, life) else { return Queued::Away };
        if !state.linked.contains(&pair(from, to)) {
            sender.dropped(to, 1);
            return Queued::Away;
        }
        sender.sent(to, bytes.len());
        let counter = state.sent.entry((from, to)).or_default();
        *counter += 1;
        let number = *counter;
        // One that crashed and came back has another life; one that is dead has none.
        let life = state.ports.get(to).and_then(Option::as_ref).map_or(0, |port| port.life);
        let link = (from * self.nodes + to) as u64;
        let seed = Seed { seed: state.weather.seed, trial: 0 };
        let (mut fate, mut times) =
            (seed.stream(Purpose::Outage, link, number), seed.stream(Purpose::Delay, link, number));
        let (lost, twice) =
            (fate.random::<f64>() < state.weather.loss, fate.random::<f64>() < state.weather.twice);
        if !lost && !state.cut.contains_key(&(from, to)) {
            for copy in 0..=u8::from(twice) {
                let at = Instant::now() + state.weather.takes(&mut times);
                state.due.insert((at, Due::Arrival { from, to, number, copy, life }), bytes.clone());
            }
        }
        drop(state);
        self.woken.notify_one();
        Queued::Taken
    }

    pub(super) fn counts(&self, node: usize, life: u64) -> Counts {
        self.lock().inbox(node, life).map(|inbox| inbox.counts()).unwrap_or_default()
    }
}

impl Weather {
    fn takes(&self, times: &mut Stream) -> Duration {
        let (least, most) = (*self.delay.start(), *self.delay.end());
        least + most.saturating_sub(least).mul_f64(times.random())
    }
}

impl State {
    fn inbox(&self, node: usize, life: u64) -> Option<Arc<Inbox>> {
        let port = self.ports.get(node)?.as_ref()?;
        (port.life == life).then(|| Arc::clone(&port.inbox))
    }

    fn present(&self, node: usize) -> Option<&Port> {
        self.ports.get(node).and_then(Option::as_ref)
    }

    /// Connects two that are there, are not connected and reach each other.
    fn link(&mut self, a: usize, b: usize) {
        let reach = !self.cut.contains_key(&(a, b)) && !self.cut.contains_key(&(b, a));
        let both = self.present(a).zip(self.present(b));
        let Some((port, other)) = both.filter(|_| a != b && reach && !self.linked.contains(&pair(a, b)))
        else {
            return;
        };
        port.inbox.connected(b);
        other.inbox.connected(a);
        self.linked.insert(pair(a, b));
    }

    fn unlink(&mut self, a: usize, b: usize) {
        if self.linked.remove(&pair(a, b)) {
            [(a, b), (b, a)].iter().for_each(|(one, other)| {
                if let Some(port) = self.present(*one) {
                    port.inbox.gone(*other);
                }
            });
        }
    }

    fn look_later(&mut self, a: usize, b: usize) {
        if let Some(at) = Instant::now().checked_add(self.weather.idle) {
            let (a, b) = pair(a, b);
            self.due.insert((at, Due::Look(a, b)), Vec::new());
        }
    }

    /// Disconnects two of whom one is dead, or between whom something has been cut for so long.
    fn look(&mut self, a: usize, b: usize, now: Instant) {
        let idle = self.weather.idle;
        let since = |link| self.cut.get(&link).is_some_and(|since| now.duration_since(*since) >= idle);
        if self.present(a).is_none() || self.present(b).is_none() || since((a, b)) || since((b, a)) {
            self.unlink(a, b);
        }
    }
}

/// Does what is due when it is due.
pub(super) async fn drive(ether: Arc<Ether>) {
    loop {
        let woken = ether.woken.notified();
        let next = {
            let mut state = ether.lock();
            let now = Instant::now();
            while let Some(first) = state.due.first_entry().filter(|first| first.key().0 <= now) {
                let ((_, due), bytes) = first.remove_entry();
                match due {
                    Due::Arrival { from, to, number, life, .. } if !state.cut.contains_key(&(from, to)) => {
                        if let Some(inbox) = state.inbox(to, life) {
                            inbox.heard(from, (0, number), bytes); // numbers of a link go on through lives
                        }
                    }
                    Due::Arrival { .. } => {} // the link was cut while it was under way
                    Due::Look(a, b) => state.look(a, b, now),
                }
            }
            state.due.first_key_value().map(|((at, _), _)| *at)
        };
        match next {
            Some(at) => tokio::select! { () = sleep_until(at) => {}, () = woken => {} },
            None => woken.await,
        }
    }
}
