//! Three nodes on the loopback, messages of 24 kB: how many rounds and messages a second the transport carries.
//!
//!     cargo run --release -p dpsda-node --example throughput

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement, for people to read")]

use std::net::UdpSocket;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dpsda_node::frame::Shape;
use dpsda_node::identity::Identity;
use dpsda_node::transport::quic::{Group, Limits, Quic, Settings};
use dpsda_node::transport::{Event, Events, Transport};
use tokio::time::timeout;

const BYTES: usize = 24_000;
const SPAN: Duration = Duration::from_secs(3);

/// Rounds in lock-step: the next begins when both others were heard. What is lost is said again.
async fn lock_step(me: usize, quic: Arc<Quic>, mut events: Events) -> (u64, Events) {
    let others: Vec<usize> = (0..3).filter(|peer| *peer != me).collect();
    let (start, mut round, mut heard) = (Instant::now(), 0_u64, [0_u64; 3]);
    while start.elapsed() < SPAN {
        let mut message = vec![0; BYTES];
        message[..8].copy_from_slice(&(round + 1).to_le_bytes());
        others.iter().for_each(|peer| _ = quic.send(*peer, message.clone()));
        while others.iter().any(|peer| heard[*peer] <= round) {
            match timeout(Duration::from_millis(50), events.next()).await {
                Ok(Some(Event::Heard { from, bytes })) => {
                    heard[from] = heard[from].max(u64::from_le_bytes(bytes[..8].try_into().unwrap()));
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break,
            }
        }
        round = others.iter().map(|peer| heard[*peer]).min().unwrap_or(0).max(round);
    }
    (round, events)
}

/// As many messages as the network takes, and nobody waits for anybody.
async fn at_will(me: usize, quic: Arc<Quic>, mut events: Events) -> u64 {
    let listen = tokio::spawn(async move {
        let (start, mut heard) = (Instant::now(), 0);
        while let Ok(Some(event)) = timeout(SPAN.saturating_sub(start.elapsed()), events.next()).await {
            heard += u64::from(matches!(event, Event::Heard { .. }));
        }
        heard
    });
    let start = Instant::now();
    while start.elapsed() < SPAN {
        for peer in (0..3).filter(|peer| *peer != me) {
            (0..4).for_each(|_| _ = quic.send(peer, vec![0; BYTES])); // half a queue at a time
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    listen.await.unwrap()
}

#[tokio::main]
async fn main() {
    let identities: Vec<_> = (1..=3).map(|k| Arc::new(Identity::from_secret([k; 32]))).collect();
    let sockets: Vec<_> = (0..3).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    let at: Vec<_> = sockets.iter().map(|socket| socket.local_addr().unwrap()).collect();
    drop(sockets);
    let mut nodes = Vec::new();
    for me in 0..3 {
        let group = Group {
            me,
            identity: Arc::clone(&identities[me]),
            members: identities.iter().map(|identity| identity.public()).collect(),
            shape: Shape { blocks: vec![1024; 3], squares: false },
            manifest: [0; 32],
            text: String::new(),
            epoch: 0,
        };
        let peers = at.iter().map(|address| vec![*address]).collect();
        let settings = Settings { listen: vec![at[me]], peers, relays: vec![], limits: Limits::default() };
        let (quic, events) = Quic::bind(group, settings).await.unwrap();
        nodes.push((Arc::new(quic), events));
    }
    let running: Vec<_> = nodes
        .into_iter()
        .enumerate()
        .map(|(me, (quic, events))| (me, Arc::clone(&quic), tokio::spawn(lock_step(me, quic, events))))
        .collect();
    let mut nodes = Vec::new();
    for (me, quic, run) in running {
        let (rounds, events) = run.await.unwrap();
        println!("node {me}: {:.0} rounds a second in lock-step", rounds as f64 / SPAN.as_secs_f64());
        nodes.push((me, quic, events));
    }
    let running: Vec<_> = nodes
        .into_iter()
        .map(|(me, quic, events)| (me, Arc::clone(&quic), tokio::spawn(at_will(me, quic, events))))
        .collect();
    for (me, quic, run) in running {
        let heard = run.await.unwrap() as f64 / SPAN.as_secs_f64();
        println!("node {me}: hears {heard:.0} messages a second, {:.0} MB/s", heard * BYTES as f64 / 1e6);
        quic.close().await;
    }
}
