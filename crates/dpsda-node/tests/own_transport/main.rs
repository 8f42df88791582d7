//! A transport written outside of the crate. Nodes on it decide as the simulator does, to the bit. As on the real network, the
//! session refuses strangers, other manifests and messages that are too long.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod nodes;
mod tcp;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use dpsda_node::frame::{Frame, Refusal};
use dpsda_node::identity::Identity;
use dpsda_node::transport::link::{Carrier as _, Link as _};
use dpsda_node::transport::local::{Ether, Weather};
use dpsda_node::transport::session::{Group, Limits, Running};
use dpsda_node::transport::{Event, Events, Transport as _};
use tokio::net::TcpListener;
use tokio::time::timeout;

use nodes::Nodes;
use tcp::Tcp;

fn in_turn() -> Limits {
    Limits { in_turn: true, ..Limits::default() }
}

/// A port of this host for every node.
async fn ports(count: usize) -> (Vec<TcpListener>, Vec<SocketAddr>) {
    let mut listeners = Vec::new();
    for _ in 0..count {
        listeners.push(TcpListener::bind("127.0.0.1:0").await.unwrap());
    }
    let at = listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
    (listeners, at)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_over_tcp_decide_as_the_simulator_does_to_the_bit() {
    let nodes = Nodes::new();
    let (listeners, at) = ports(nodes.count()).await;
    let mut listeners = listeners.into_iter();
    let join = |me| {
        let joined = tcp::join(nodes.group(me), in_turn(), listeners.next().unwrap(), at.clone());
        std::future::ready(joined.unwrap())
    };
    let decided = timeout(Duration::from_secs(120), nodes.decide(join)).await.unwrap();
    assert_eq!(decided, nodes.simulated());
}

#[tokio::test]
async fn nodes_in_one_process_decide_as_the_simulator_does_to_the_bit() {
    let nodes = Nodes::new();
    let ether = Ether::new(nodes.count(), Weather::default());
    let join = |me| std::future::ready(ether.join(nodes.group(me), in_turn()).unwrap());
    let decided = timeout(Duration::from_secs(120), nodes.decide(join)).await.unwrap();
    assert_eq!(decided, nodes.simulated());
}

/// Waits for an event like this.
async fn until(events: &mut Events, like: impl Fn(&Event) -> bool) {
    let find = async { while !like(&events.next().await.unwrap()) {} };
    timeout(Duration::from_secs(20), find).await.unwrap();
}

/// Two nodes over TCP, each with its own group.
async fn two(groups: [Group; 2]) -> ([(Running<Tcp>, Events); 2], Vec<SocketAddr>) {
    let (listeners, at) = ports(2).await;
    let all: Vec<_> = groups
        .into_iter()
        .zip(listeners)
        .map(|(group, listener)| tcp::join(group, Limits::default(), listener, at.clone()).unwrap())
        .collect();
    (all.try_into().ok().unwrap(), at)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_with_another_manifest_is_sent_ours_and_nothing_else() {
    let nodes = Nodes::new();
    let theirs = Group { manifest: [1; 32], text: "theirs".into(), ..nodes.group(1) };
    let ours = Group { text: "ours".into(), ..nodes.group(0) };
    let ([(a, mut to_a), (_b, mut to_b)], _) = two([ours, theirs]).await;
    until(&mut to_a, |event| *event == Event::Differs { from: 1, theirs: "theirs".into() }).await;
    until(&mut to_b, |event| *event == Event::Differs { from: 0, theirs: "ours".into() }).await;
    let counts = a.counts();
    assert!(counts.refused[&(Some(1), Refusal::OtherManifest)] >= 1);
    assert_eq!(counts.peers[1].connections, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_and_messages_that_are_too_long_are_refused_and_counted() {
    let nodes = Nodes::new();
    let ([(a, mut to_a), _b], at) = two([nodes.group(0), nodes.group(1)]).await;
    until(&mut to_a, |event| *event == Event::Connected(1)).await;
    let stranger = Arc::new(Identity::from_secret([99; 32]));
    let listener = || async { TcpListener::bind("127.0.0.1:0").await.unwrap() };
    let dialler = |identity: Arc<Identity>, listener| Tcp::new(listener, identity, at.clone());
    let proved = dialler(Arc::clone(&stranger), listener().await).dial(0).await.ok().unwrap();
    assert!(proved.link.next().await.is_none(), "closed without a word");
    let refused = Event::Refused { from: Some(stranger.public()), why: Refusal::UnknownKey, times: 1 };
    until(&mut to_a, |event| *event == refused).await;
    // Member 2 greets and then says more than any honest message has.
    let proved =
        dialler(Arc::new(Identity::from_secret([3; 32])), listener().await).dial(0).await.ok().unwrap();
    proved.link.send(&Frame::Hello { manifest: nodes.group(0).manifest }.bytes()).await.unwrap();
    until(&mut to_a, |event| *event == Event::Connected(2)).await;
    let giant = vec![0; nodes.group(0).grammar.longest() + 1];
    let _ = proved.link.send(&giant).await; // it is not read
    until(&mut to_a, |event| matches!(event, Event::Refused { why: Refusal::TooLarge, .. })).await;
    until(&mut to_a, |event| *event == Event::Gone(2)).await;
    assert_eq!(a.counts().refused[&(Some(2), Refusal::TooLarge)], 1);
    assert!(a.counts().peers[1].connected, "other peers did not notice");
}
