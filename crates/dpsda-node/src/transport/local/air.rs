//! The state of the network: which nodes have joined, which links are cut, and the fate of each message.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dpsda::rng::{Purpose, Seed};
use rand::RngExt;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::Weather;
use super::link::LocalLink;
use crate::identity::PublicKey;
use crate::transport::link::Proved;

/// The channel on which calls to a node arrive.
pub(super) type Callers = mpsc::UnboundedReceiver<Proved<LocalLink>>;

pub(super) struct Air {
    nodes: usize,
    sky: Mutex<Sky>,
    /// Notified when a link was cut, healed or closed.
    changed: watch::Sender<()>,
}

struct Sky {
    weather: Weather,
    /// The nodes that have joined.
    ports: Vec<Option<Port>>,
    lives: u64,
    /// Links that are cut, by sender and receiver, and since when.
    cut: BTreeMap<(usize, usize), Instant>,
    /// Messages sent so far, by sender and receiver. The count goes on when a node joins again.
    sent: BTreeMap<(usize, usize), u64>,
}

/// A node that has joined.
#[derive(Clone)]
pub(super) struct Port {
    life: u64,
    pub(super) key: PublicKey,
    /// How long this node takes to notice a dead peer or a cut link.
    pub(super) idle: Duration,
    /// Whether this node has said goodbye: its ends of links then close.
    pub(super) parted: Arc<AtomicBool>,
    pub(super) door: mpsc::UnboundedSender<Proved<LocalLink>>,
}

impl Air {
    pub(super) fn new(nodes: usize, weather: Weather) -> Self {
        let sky =
            Sky { weather, ports: vec![None; nodes], lives: 0, cut: BTreeMap::new(), sent: BTreeMap::new() };
        Self { nodes, sky: Mutex::new(sky), changed: watch::Sender::new(()) }
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    fn sky(&self) -> MutexGuard<'_, Sky> {
        self.sky.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    pub(super) fn change(&self) {
        self.changed.send_replace(());
    }

    /// Joins a node. Returns the number of this instance, and the channel for calls to it. An earlier instance gets no more
    /// calls.
    pub(super) fn join(
        &self,
        node: usize,
        key: PublicKey,
        idle: Duration,
        parted: Arc<AtomicBool>,
    ) -> (u64, Callers) {
        let (door, callers) = mpsc::unbounded_channel();
        let mut sky = self.sky();
        sky.lives += 1;
        let life = sky.lives;
        if let Some(port) = sky.ports.get_mut(node) {
            *port = Some(Port { life, key, idle, parted, door });
        }
        (life, callers)
    }

    pub(super) fn leave(&self, node: usize, life: u64) {
        if let Some(port) = self.sky().ports.get_mut(node) {
            port.take_if(|port| port.life == life);
        }
    }

    /// Node `to`, if instance `life` of node `from` can reach it now.
    pub(super) fn reach(&self, from: usize, life: u64, to: usize) -> Option<Port> {
        let sky = self.sky();
        let here = sky.ports.get(from)?.as_ref().is_some_and(|port| port.life == life);
        let cut = sky.cut.contains_key(&(from, to)) || sky.cut.contains_key(&(to, from));
        sky.ports.get(to)?.clone().filter(|_| here && !cut && from != to)
    }

    pub(super) fn cut(&self, from: usize, to: usize) {
        self.sky().cut.entry((from, to)).or_insert_with(Instant::now);
        self.change();
    }

    pub(super) fn heal(&self, from: usize, to: usize) {
        self.sky().cut.remove(&(from, to));
        self.change();
    }

    pub(super) fn lose(&self, share: f64) {
        self.sky().weather.loss = share;
    }

    pub(super) fn is_cut(&self, from: usize, to: usize) -> bool {
        self.sky().cut.contains_key(&(from, to))
    }

    /// Since when either direction between two nodes is cut.
    pub(super) fn cut_since(&self, a: usize, b: usize) -> Option<Instant> {
        let sky = self.sky();
        [(a, b), (b, a)].iter().filter_map(|link| sky.cut.get(link).copied()).min()
    }

    /// The times at which the next message from one node to another arrives: none, one or two.
    pub(super) fn arrivals(&self, from: usize, to: usize) -> Vec<Instant> {
        let mut sky = self.sky();
        let counter = sky.sent.entry((from, to)).or_default();
        *counter += 1;
        let number = *counter;
        let link = (from * self.nodes + to) as u64;
        let Weather { seed, loss, twice, delay } = &sky.weather;
        let seed = Seed::new(*seed);
        let mut fate = seed.stream(Purpose::Outage, link, number);
        let mut times = seed.stream(Purpose::Delay, link, number);
        let (lost, twice) = (fate.random::<f64>() < *loss, fate.random::<f64>() < *twice);
        if lost || sky.cut.contains_key(&(from, to)) {
            return Vec::new();
        }
        let (least, most) = (*delay.start(), *delay.end());
        let takes = |_| least + most.saturating_sub(least).mul_f64(times.random());
        let now = Instant::now();
        (0..=u8::from(twice)).map(takes).map(|takes| now + takes).collect()
    }
}
