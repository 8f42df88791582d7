//! Nodes over either transport.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dpsda_node::frame::{Grammar, Squares};
use dpsda_node::identity::{Identity, PublicKey};
use dpsda_node::transport::local::{Ether, Weather};
use dpsda_node::transport::quic::{Quic, Settings};
use dpsda_node::transport::session::{Group, Limits};
use dpsda_node::transport::{Event, Events, Queued, Transport};
use tokio::time::timeout;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Quic,
    Local,
}

pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct World {
    ether: Option<Ether>,
    pub(crate) at: Vec<SocketAddr>,
    pub(crate) limits: Limits,
}

pub(crate) fn identity(k: usize) -> Identity {
    Identity::from_secret([k as u8 + 1; 32])
}

pub(crate) fn key(k: usize) -> PublicKey {
    identity(k).public()
}

pub(crate) fn grammar() -> Grammar {
    Grammar { blocks: vec![1024; 3], squares: Squares::None }
}

impl World {
    /// Three nodes that are not started yet.
    pub(crate) fn new(kind: Kind) -> Self {
        let sockets: Vec<_> = (0..3).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
        Self {
            ether: (kind == Kind::Local).then(|| Ether::new(3, Weather::default())),
            at: sockets.iter().map(|socket| socket.local_addr().unwrap()).collect(),
            limits: Limits::default(),
        }
    }

    pub(crate) fn group(&self, me: usize) -> Group {
        Group {
            me,
            identity: Arc::new(identity(me)),
            members: (0..3).map(key).collect(),
            grammar: grammar(),
            manifest: [9; 32],
            text: "none".into(),
        }
    }

    pub(crate) fn settings(&self, me: usize) -> Settings {
        Settings {
            listen: vec![self.at[me]],
            peers: self.at.iter().map(|address| vec![*address]).collect(),
            relays: vec![],
            limits: self.limits.clone(),
            ..Settings::default()
        }
    }

    pub(crate) async fn quic(&self, me: usize) -> (Quic, Events) {
        Quic::bind(self.group(me), self.settings(me)).await.unwrap()
    }

    pub(crate) async fn join(&self, me: usize) -> Node {
        let (transport, events): (Arc<dyn Transport>, _) = match &self.ether {
            Some(ether) => {
                let (local, events) = ether.join(self.group(me), self.limits.clone()).unwrap();
                (Arc::new(local), events)
            }
            None => {
                let (quic, events) = self.quic(me).await;
                (Arc::new(quic), events)
            }
        };
        Node { transport, events }
    }
}

pub(crate) struct Node {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) events: Events,
}

impl Node {
    /// Waits for an event like this, and skips others.
    pub(crate) async fn until(&mut self, what: &str, like: impl Fn(&Event) -> bool) -> Event {
        let find = async {
            loop {
                match self.events.next().await {
                    Some(event) if like(&event) => return event,
                    Some(_) => {}
                    None => panic!("the end, and not {what}"),
                }
            }
        };
        timeout(PATIENCE, find).await.unwrap_or_else(|_| panic!("{what}: not in {PATIENCE:?}"))
    }

    pub(crate) async fn connected(&mut self, peer: usize) {
        self.until(&format!("connected with {peer}"), |event| *event == Event::Connected(peer)).await;
    }

    pub(crate) async fn heard(&mut self, peer: usize, message: &[u8]) {
        let like = |event: &Event| matches!(event, Event::Heard { from, bytes } if *from == peer && bytes == message);
        self.until(&format!("heard {} bytes of {peer}", message.len()), like).await;
    }

    pub(crate) fn say(&self, peer: usize, message: &[u8]) -> Queued {
        self.transport.send(peer, message.to_vec())
    }

    /// Echoes every message.
    pub(crate) fn echo(mut self) -> tokio::task::JoinHandle<()> {
        tokio::spawn(async move {
            while let Some(event) = self.events.next().await {
                if let Event::Heard { from, bytes } = event {
                    self.transport.send(from, bytes);
                }
            }
        })
    }

    /// The median time of this many round trips with a peer that echoes. A lost one is tried again.
    pub(crate) async fn round_trip(&mut self, peer: usize, times: u32) -> Duration {
        let mut took = Vec::new();
        for k in 0..times {
            let (start, message) = (Instant::now(), [&k.to_le_bytes()[..], &[7; 1000]].concat());
            let like = |event: &Event| matches!(event, Event::Heard { from, bytes } if *from == peer && *bytes == message);
            while {
                assert!(start.elapsed() < PATIENCE, "no answer of {peer}");
                self.transport.send(peer, message.clone());
                let find = async { while !self.events.next().await.is_some_and(|event| like(&event)) {} };
                timeout(Duration::from_secs(1), find).await.is_err()
            } {}
            took.push(start.elapsed());
        }
        took.sort();
        took[took.len() / 2]
    }
}

/// Three nodes that are all connected.
pub(crate) async fn three(world: &World) -> [Node; 3] {
    let mut nodes = [world.join(0).await, world.join(1).await, world.join(2).await];
    meet(&mut nodes).await;
    nodes
}

/// Waits until each is connected to both others, in any order.
pub(crate) async fn meet(nodes: &mut [Node; 3]) {
    for (me, node) in nodes.iter_mut().enumerate() {
        let mut missing: Vec<usize> = (0..3).filter(|peer| *peer != me).collect();
        while !missing.is_empty() {
            let event = node.until("connected with both", |event| matches!(event, Event::Connected(_))).await;
            missing.retain(|peer| event != Event::Connected(*peer));
        }
    }
}
