//! Strangers, false lengths, floods, messages that are too long, and peers that do not read: all are refused and counted, and
//! no other peer is affected.

use std::time::{Duration, Instant};

use dpsda_node::frame::Refusal;
use dpsda_node::identity::Identity;
use dpsda_node::transport::{Event, Queued};
use iroh::endpoint::Connection;

use crate::raw;
use crate::world::{Kind, Node, PATIENCE, World, grammar, identity, key};

/// Nodes 0 and 1 are honest, and node 2 does as it likes.
async fn two(world: &World) -> (Node, Node) {
    let (mut a, b) = (world.join(0).await, world.join(1).await);
    a.connected(1).await;
    (a, b)
}

async fn refused(node: &mut Node, who: usize, why: Refusal) {
    let by = Some(key(who));
    let like = |event: &Event| matches!(event, Event::Refused { from, why: found, .. } if *from == by && *found == why);
    node.until(&format!("refused as {why}"), like).await;
}

/// A connection of node 2 to node 0 that has greeted.
async fn greeted(world: &World, a: &mut Node) -> (iroh::Endpoint, Connection) {
    let endpoint = raw::endpoint(&identity(2), world.at[2]).await;
    let connection = raw::dial(&endpoint, world.at[0]).await.unwrap();
    raw::say(&connection, &raw::hello()).await;
    a.connected(2).await;
    (endpoint, connection)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_is_refused_and_counted() {
    let world = World::new(Kind::Quic);
    let (mut a, _b) = two(&world).await;
    let stranger = Identity::from_secret([99; 32]);
    let endpoint = raw::endpoint(&stranger, "127.0.0.1:0".parse().unwrap()).await;
    if let Ok(connection) = raw::dial(&endpoint, world.at[0]).await {
        // It learns of it with the first packet after the handshake.
        let closed = tokio::time::timeout(Duration::from_secs(3), connection.closed()).await.unwrap();
        assert!(closed.to_string().contains("not a member"), "{closed}");
    }
    let like = |event: &Event| matches!(event, Event::Refused { why: Refusal::UnknownKey, .. });
    let event = a.until("refused", like).await;
    assert_eq!(event, Event::Refused { from: Some(stranger.public()), why: Refusal::UnknownKey, times: 1 });
    assert_eq!(a.transport.counts().refused[&(None, Refusal::UnknownKey)], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_that_call_without_end_do_not_keep_members_out() {
    let world = World::new(Kind::Quic);
    let (a, b) = two(&world).await;
    let endpoint = raw::endpoint(&Identity::from_secret([99; 32]), "127.0.0.1:0".parse().unwrap()).await;
    let knocks: Vec<_> = (0..200).map(|_| (endpoint.clone(), world.at[0])).collect();
    let knocking: Vec<_> = knocks
        .into_iter()
        .map(|(endpoint, at)| tokio::spawn(async move { _ = raw::dial(&endpoint, at).await }))
        .collect();
    let start = Instant::now();
    let mut c = world.join(2).await;
    c.connected(0).await;
    eprintln!(
        "a member is in {} ms after it started, with 200 strangers at the door",
        start.elapsed().as_millis()
    );
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    for knock in knocking {
        knock.await.unwrap();
    }
    let refused = a.transport.counts().refused;
    let of = |why| refused.get(&(None, why)).copied().unwrap_or_default();
    assert!(of(Refusal::Flood) > 0, "{refused:?}");
    // A burst of 20 and 10 per second, for as long as the 200 keep trying.
    let most = 20 + 10 * (start.elapsed().as_secs() + 1);
    assert!((1..=most).contains(&of(Refusal::UnknownKey)), "{refused:?}");
    drop(b);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_byte_more_than_the_longest_is_refused_before_a_byte_of_it_is_sent() {
    let world = World::new(Kind::Quic);
    let (mut a, _b) = two(&world).await;
    let (_endpoint, connection) = greeted(&world, &mut a).await;
    for length in [grammar().longest() as u32 + 1, u32::MAX] {
        let stream = raw::claim(&connection, length, &[]).await;
        let stopped = tokio::time::timeout(PATIENCE, stream.stopped()).await.unwrap().unwrap();
        assert!(stopped.is_some(), "stopped at its length");
        refused(&mut a, 2, Refusal::TooLarge).await;
    }
    raw::say(&connection, b"still friends").await;
    a.heard(2, b"still friends").await;
    assert_eq!(a.transport.counts().refused[&(Some(2), Refusal::TooLarge)], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn false_lengths_are_refused() {
    let mut world = World::new(Kind::Quic);
    world.limits.patience = Duration::from_millis(300);
    let (mut a, _b) = two(&world).await;
    let (_endpoint, connection) = greeted(&world, &mut a).await;
    raw::claim(&connection, 10, &[1; 9]).await.finish().unwrap();
    refused(&mut a, 2, Refusal::Malformed).await;
    let _ = raw::claim(&connection, 10, &[1; 11]).await.finish();
    refused(&mut a, 2, Refusal::TooLarge).await;
    let mut short = connection.open_uni().await.unwrap();
    short.write_all(&[1, 2]).await.unwrap();
    short.finish().unwrap();
    refused(&mut a, 2, Refusal::Malformed).await;
    // Begun and never ended: as many as it may have, all of the longest kind.
    let mut begun = Vec::new();
    for _ in 0..20 {
        begun.push(raw::claim(&connection, grammar().longest() as u32, &[1; 100]).await);
    }
    refused(&mut a, 2, Refusal::Slow).await;
    drop(begun);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_that_does_not_greet_first_is_disconnected() {
    let world = World::new(Kind::Quic);
    let (mut a, _b) = two(&world).await;
    let endpoint = raw::endpoint(&identity(2), world.at[2]).await;
    let manifest = dpsda_node::frame::Frame::Manifest("x".into()).bytes();
    for (first, why) in [
        (Some(manifest), Refusal::WrongKind),
        (Some(vec![250; 5]), Refusal::Malformed),
        (Some(vec![0; 1000]), Refusal::TooLarge),
        (None, Refusal::Slow),
    ] {
        let connection = raw::dial(&endpoint, world.at[0]).await.unwrap();
        if let Some(bytes) = first {
            raw::say(&connection, &bytes).await;
        }
        refused(&mut a, 2, why).await;
        tokio::time::timeout(PATIENCE, connection.closed()).await.unwrap();
    }
    assert!(!a.transport.counts().peers[2].connected);
    assert_eq!(a.transport.counts().peers[2].connections, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_messages_than_allowed_are_counted_and_slow_their_sender() {
    let mut world = World::new(Kind::Quic);
    world.limits.messages = 200.0;
    let (mut a, b) = two(&world).await;
    let (_endpoint, connection) = greeted(&world, &mut a).await;
    let counts = std::sync::Arc::clone(&a.transport);
    let mut b = b;
    let _echo = a.echo();
    let start = Instant::now();
    let flood = tokio::spawn(async move {
        let mut opened = 0_u32;
        while start.elapsed() < Duration::from_secs(2) {
            let Ok(Ok(mut stream)) =
                tokio::time::timeout(Duration::from_secs(1), connection.open_uni()).await
            else {
                break;
            };
            let _ = stream.write_all(&[1, 0, 0, 0, 7]).await;
            let _ = stream.finish();
            opened += 1;
        }
        opened
    });
    let trip = b.round_trip(0, 20).await;
    let opened = flood.await.unwrap();
    let (counts, took) = (counts.counts(), start.elapsed().as_secs_f64());
    let flood = counts.refused.get(&(Some(2), Refusal::Flood)).copied().unwrap_or_default();
    eprintln!(
        "{opened} opened in {took:.1} s, {} heard, {flood} too many; others' round trip {trip:?}",
        counts.peers[2].heard
    );
    assert!(flood > 0);
    assert!(counts.peers[2].heard as f64 <= 20.0 + 200.0 * took + 1.0, "{}", counts.peers[2].heard);
    assert!(u64::from(opened) <= counts.peers[2].heard + 64, "it was not slowed: {opened}");
    assert!(trip < Duration::from_millis(200), "{trip:?}");
}

/// Pages of this process that are in memory, in bytes.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(4096 * text.split_whitespace().nth(1)?.parse::<u64>().ok()?)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_that_does_not_read_delays_nobody_and_memory_does_not_grow() {
    let world = World::new(Kind::Quic);
    let (mut a, b) = two(&world).await;
    let (_endpoint, _connection) = greeted(&world, &mut a).await;
    let _echo = b.echo();
    let before = resident();
    let message = vec![5; 1 << 20];
    for _ in 0..1000 {
        assert_ne!(a.say(2, &message), Queued::Away);
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
    let trip = a.round_trip(1, 20).await;
    assert!(trip < Duration::from_millis(200), "{trip:?}");
    let peer = a.transport.counts().peers[2];
    assert!(peer.dropped > 980, "a gigabyte was sent to a peer that reads nothing: {peer:?}");
    if let Some((before, after)) = before.zip(resident()) {
        let grown = after.saturating_sub(before) >> 20;
        eprintln!("grown by {grown} MiB");
        assert!(grown < 200, "{grown} MiB"); // other tests run in the same process
    }
}
