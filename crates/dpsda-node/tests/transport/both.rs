//! Tests that hold for both transports.

use std::time::{Duration, Instant};

use dpsda_node::transport::{Event, Queued};

use crate::world::{Kind, World, grammar, three};

macro_rules! both {
    ($($claim:ident)*) => {
        mod quic {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() { super::$claim(super::Kind::Quic).await })*
        }
        mod local {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() { super::$claim(super::Kind::Local).await })*
        }
    };
}

both! {
    three_nodes_exchange_messages_both_ways
    the_longest_message_passes_and_one_byte_more_is_not_sent
    one_who_never_asks_what_happened_holds_up_nobody
    a_flood_from_one_member_leaves_the_round_trip_of_others_unharmed
    one_who_leaves_is_gone_at_once_and_hears_the_end
}

async fn three_nodes_exchange_messages_both_ways(kind: Kind) {
    let mut nodes = three(&World::new(kind)).await;
    for round in 0..20 {
        let message = |from: usize, to: usize| vec![round, from as u8, to as u8, 5, 5];
        for (from, node) in nodes.iter().enumerate() {
            (0..3)
                .filter(|to| *to != from)
                .for_each(|to| assert_eq!(node.say(to, &message(from, to)), Queued::Taken));
        }
        for (to, node) in nodes.iter_mut().enumerate() {
            let mut missing: Vec<usize> = (0..3).filter(|from| *from != to).collect();
            while !missing.is_empty() {
                let heard = node.until("what both said", |event| matches!(event, Event::Heard { .. })).await;
                let before = missing.len();
                missing.retain(|from| heard != Event::Heard { from: *from, bytes: message(*from, to) });
                assert_eq!(missing.len(), before - 1, "{heard:?}");
            }
        }
    }
    for (k, traffic) in nodes[0].transport.counts().peers.iter().enumerate() {
        let expected = if k == 0 { 0 } else { 20 };
        assert_eq!((traffic.heard, traffic.heard_bytes), (expected, 5 * expected));
        assert_eq!((traffic.sent, traffic.dropped, traffic.connected), (expected, 0, k != 0));
    }
}

async fn the_longest_message_passes_and_one_byte_more_is_not_sent(kind: Kind) {
    let [a, mut b, _c] = three(&World::new(kind)).await;
    let longest = vec![3; grammar().longest()];
    assert_eq!(a.say(1, &longest), Queued::Taken);
    b.heard(0, &longest).await;
    for (to, message) in
        [(1, vec![3; grammar().longest() + 1]), (0, vec![1]), (3, vec![1]), (usize::MAX, vec![1])]
    {
        assert_eq!(a.say(to, &message), Queued::Unfit, "{to}");
    }
}

async fn one_who_never_asks_what_happened_holds_up_nobody(kind: Kind) {
    let [mut a, b, mut c] = three(&World::new(kind)).await;
    let _echo = b.echo();
    for k in 0..3000_u32 {
        a.say(2, &[&k.to_le_bytes()[..], &[0; 24_000]].concat());
        if k % 100 == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    let trip = a.round_trip(1, 20).await;
    assert!(trip < Duration::from_millis(200), "{trip:?}");
    // The newest is there whatever was dropped for it.
    let last = [&2999_u32.to_le_bytes()[..], &[0; 24_000]].concat();
    let mut kept = 0;
    loop {
        let Event::Heard { bytes, .. } =
            c.until("the newest", |event| matches!(event, Event::Heard { .. })).await
        else {
            continue;
        };
        kept += 1;
        if bytes == last {
            break;
        }
    }
    assert!(kept < 100, "{kept} waited");
}

async fn a_flood_from_one_member_leaves_the_round_trip_of_others_unharmed(kind: Kind) {
    let mut world = World::new(kind);
    world.limits.messages = 2000.0;
    let [a, mut b, c] = three(&world).await;
    let counts = std::sync::Arc::clone(&a.transport);
    let _echo = a.echo();
    let before = b.round_trip(0, 50).await;
    let stop = Instant::now() + Duration::from_secs(2);
    let flood = tokio::spawn(async move {
        while Instant::now() < stop {
            (0..20).for_each(|_| _ = c.say(0, &[1; 2000]));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        c
    });
    let during = b.round_trip(0, 50).await;
    eprintln!("round trip {before:?}, during a flood {during:?}");
    assert!(during < Duration::from_millis(100) + 4 * before, "{before:?}, then {during:?}");
    flood.await.unwrap();
    let peer = counts.counts().peers[1];
    assert_eq!(peer.unheard, 0, "nothing of the honest one was dropped");
}

async fn one_who_leaves_is_gone_at_once_and_hears_the_end(kind: Kind) {
    let [mut a, _b, mut c] = three(&World::new(kind)).await;
    let start = Instant::now();
    c.transport.close().await;
    a.until("gone", |event| *event == Event::Gone(2)).await;
    assert!(start.elapsed() < Duration::from_millis(1500), "not by a timeout: {:?}", start.elapsed());
    assert_eq!(a.say(2, &[1]), Queued::Away);
    while c.events.next().await.is_some() {}
    assert_ne!(c.say(0, &[1]), Queued::Taken);
}
