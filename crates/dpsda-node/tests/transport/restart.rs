//! Nodes that are killed and started again with the same key at the same address.

use std::time::{Duration, Instant};

use dpsda_node::transport::quic::Quic;
use dpsda_node::transport::{Event, Queued, Transport as _, Unreached};

use crate::world::{Kind, Node, PATIENCE, World, three};

/// Sends a message every millisecond until one is heard. Returns how long that takes.
async fn reaches(from: &Node, me: usize, to: &mut Node, peer: usize) -> Duration {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < Duration::from_secs(10), "{me} does not reach {peer}");
        from.say(peer, &[42]);
        let like = Event::Heard { from: me, bytes: vec![42] };
        let heard = async { while to.events.next().await.as_ref() != Some(&like) {} };
        if tokio::time::timeout(Duration::from_millis(1), heard).await.is_ok() {
            return start.elapsed();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_was_killed_is_back_within_a_second() {
    let world = std::sync::Arc::new(World::new(Kind::Quic));
    // A runtime of its own: what runs on it ends without a word, as with kill -9.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let victim = std::sync::Arc::clone(&world);
    let killed = runtime.spawn(async move { victim.join(2).await });
    let (mut a, mut b, mut c) = (world.join(0).await, world.join(1).await, killed.await.unwrap());
    reaches(&a, 0, &mut c, 2).await;
    reaches(&c, 2, &mut b, 1).await;
    runtime.shutdown_background();
    drop(c);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_ne!(a.say(2, &[1]), Queued::Away, "a crash is not announced");
    assert!(a.round_trip_works(&mut b).await, "and the others go on");
    let start = Instant::now();
    let mut c = world.join(2).await;
    reaches(&c, 2, &mut a, 0).await;
    let there = start.elapsed();
    reaches(&a, 0, &mut c, 2).await;
    let both = start.elapsed();
    reaches(&b, 1, &mut c, 2).await;
    let all = start.elapsed();
    eprintln!(
        "back after a kill: heard after {} ms, hears after {} ms, both others {} ms",
        there.as_millis(),
        both.as_millis(),
        all.as_millis()
    );
    assert!(all < Duration::from_secs(1), "{all:?}");
}

impl Node {
    async fn round_trip_works(&mut self, other: &mut Node) -> bool {
        reaches(self, 0, other, 1).await;
        reaches(other, 1, self, 0).await < Duration::from_secs(1)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stays_away_is_reported_after_the_idle_time_and_may_return() {
    for kind in [Kind::Quic, Kind::Local] {
        let world = std::sync::Arc::new(World::new(kind));
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (mut a, victim) = (world.join(0).await, std::sync::Arc::clone(&world));
        let killed = runtime.spawn(async move { victim.join(2).await }).await.unwrap();
        a.connected(2).await;
        runtime.shutdown_background();
        drop(killed);
        let start = Instant::now();
        a.until("gone", |event| *event == Event::Gone(2)).await;
        assert!((1000..4000).contains(&start.elapsed().as_millis()), "{kind:?}: {:?}", start.elapsed());
        assert_eq!(a.say(2, &[1]), Queued::Away);
        let mut c = world.join(2).await;
        a.connected(2).await;
        c.connected(0).await;
        c.say(0, b"again");
        a.heard(2, b"again").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_without_addresses_is_reached_over_the_connection_that_it_made() {
    let world = World::new(Kind::Quic);
    let mut settings = world.settings(0);
    settings.peers = vec![vec![]; 3];
    let (quic, events) = Quic::bind(world.group(0), settings).await.unwrap();
    let (mut a, mut c) = (Node { transport: std::sync::Arc::new(quic), events }, world.join(2).await);
    a.connected(2).await;
    a.say(2, b"down the same way");
    c.heard(0, b"down the same way").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_reason_why_a_peer_is_not_reached_is_shown_until_it_connects() {
    let world = World::new(Kind::Quic);
    let mut settings = world.settings(0);
    settings.peers[1] = vec![world.at[2]]; // a slip: there is the other one
    settings.peers[2] = vec!["127.0.0.1:9".parse().unwrap()]; // and here nobody
    let (quic, events) = Quic::bind(world.group(0), settings).await.unwrap();
    let mut a = Node { transport: std::sync::Arc::new(quic), events };
    let mut settings = world.settings(2);
    settings.peers = vec![vec![]; 3]; // it waits to be dialled
    let (c, _events) = Quic::bind(world.group(2), settings).await.unwrap();
    let start = Instant::now();
    let why = |node: &Node, peer: usize| node.transport.counts().peers[peer].unreached;
    while why(&a, 1).is_none() || why(&a, 2).is_none() {
        assert!(start.elapsed() < PATIENCE, "{:?}", a.transport.counts().peers);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!((why(&a, 1), why(&a, 2)), (Some(Unreached::Stranger), Some(Unreached::Silent)));
    c.close().await;
    let mut settings = world.settings(2); // which has the right addresses
    settings.listen = vec!["127.0.0.1:0".parse().unwrap()];
    let _c = Quic::bind(world.group(2), settings).await.unwrap();
    a.connected(2).await;
    let traffic = a.transport.counts().peers[2];
    assert_eq!((traffic.tried, traffic.unreached), (0, None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_with_one_key_do_not_replace_each_other_many_times_per_second() {
    let world = World::new(Kind::Quic);
    let mut settings = world.settings(0);
    settings.peers = vec![vec![]; 3]; // it dials nobody, so each that dials it takes the other's place
    let (a, _events) = Quic::bind(world.group(0), settings).await.unwrap();
    let mut settings = world.settings(2);
    settings.listen = vec!["127.0.0.1:0".parse().unwrap()];
    let _one = world.join(2).await;
    let _other = Quic::bind(world.group(2), settings).await.unwrap();
    tokio::time::sleep(Duration::from_secs(4)).await;
    let made = a.counts().peers[2].connections;
    assert!((3..40).contains(&made), "{made} connections");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_start_at_once_connect_and_stay_connected() {
    let world = World::new(Kind::Quic);
    let mut nodes = three(&world).await;
    tokio::time::sleep(Duration::from_secs(3)).await; // longer than a connection lives without signs of life
    for node in &mut nodes {
        while let Some(event) = node.events.try_next() {
            assert!(!matches!(event, Event::Gone(_)), "{event:?}");
        }
        let made: Vec<u64> = node.transport.counts().peers.iter().map(|peer| peer.connections).collect();
        assert!(made.iter().all(|made| *made <= 2), "one that each dialled, at most: {made:?}");
    }
}
