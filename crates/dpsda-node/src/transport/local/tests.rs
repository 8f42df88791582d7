use super::*;
use crate::frame::{Grammar, Squares};
use crate::identity::Identity;
use crate::transport::Event;

fn identity(k: usize) -> Identity {
    Identity::from_secret([k as u8 + 1; 32])
}

fn group(me: usize, nodes: usize) -> Group {
    Group {
        me,
        identity: Arc::new(identity(me)),
        members: (0..nodes).map(|k| identity(k).public()).collect(),
        grammar: Grammar { blocks: vec![1; nodes], squares: Squares::None },
        manifest: [9; 32],
        text: String::new(),
    }
}

/// Nodes that are all connected, in the order of their numbers.
async fn all(ether: &Ether, queue: usize) -> Vec<(Local, Events)> {
    let nodes = ether.0.nodes();
    let join = |me| ether.join(group(me, nodes), Limits { queue, ..Limits::default() }).unwrap();
    let mut joined: Vec<(Local, Events)> = (0..nodes).map(join).collect();
    for (me, (_, events)) in joined.iter_mut().enumerate() {
        for peer in (0..nodes).filter(|peer| *peer != me) {
            connected(events, peer).await;
        }
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    joined.iter_mut().for_each(|(_, events)| while events.try_next().is_some() {});
    joined
}

/// Waits for a peer. Both sides dial, so one may connect twice.
async fn connected(events: &mut Events, peer: usize) {
    loop {
        match events.next().await.unwrap() {
            Event::Connected(found) if found == peer => return,
            Event::Connected(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// The next event that is no connection.
async fn next(events: &mut Events) -> Option<Event> {
    loop {
        let event = events.next().await;
        if !matches!(event, Some(Event::Connected(_))) {
            return event;
        }
    }
}

fn rough() -> Weather {
    let ms = Duration::from_millis;
    Weather { seed: 3, loss: 0.3, twice: 0.2, delay: ms(1)..=ms(20) }
}

/// What nodes 1 and 2 hear of two hundred messages of node 0 to each, a millisecond apart.
async fn heard(weather: Weather) -> Vec<(usize, u8, Duration)> {
    let ether = Ether::new(3, weather);
    let mut nodes = all(&ether, 10_000).await;
    let (start, mut heard) = (tokio::time::Instant::now(), Vec::new());
    for step in 0..300_u64 {
        if let Ok(k) = u8::try_from(step)
            && k < 200
        {
            [1, 2].iter().for_each(|to| assert_eq!(nodes[0].0.send(*to, vec![k]), Queued::Taken));
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        for (node, (_, events)) in nodes.iter_mut().enumerate() {
            while let Some(event) = events.try_next() {
                if let Event::Heard { bytes, .. } = event {
                    heard.push((node, bytes[0], start.elapsed()));
                }
            }
        }
    }
    heard
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_order_and_another_one_another() {
    let first = heard(rough()).await;
    assert_eq!(first, heard(rough()).await);
    assert_ne!(first, heard(Weather { seed: 4, ..rough() }).await);
    let of = |node| first.iter().filter(move |(k, ..)| *k == node).map(|(_, message, _)| *message);
    for node in [1, 2] {
        let (count, kinds) = (of(node).count(), of(node).collect::<std::collections::BTreeSet<_>>().len());
        assert!((115..=165).contains(&kinds), "{kinds} of 200 at 30% loss");
        assert!((10..=50).contains(&(count - kinds)), "{count} of {kinds}: a fifth comes twice");
        assert!(of(node).zip(of(node).skip(1)).any(|(a, b)| a > b), "some overtake others");
    }
    assert!(of(1).ne(of(2)), "links have their own luck");
}

#[tokio::test(start_paused = true)]
async fn fair_weather_brings_all_in_order() {
    let all = heard(Weather::default()).await;
    let one: Vec<u8> = all.iter().filter(|(node, ..)| *node == 1).map(|(_, message, _)| *message).collect();
    assert_eq!(one, (0..200).collect::<Vec<u8>>());
}

#[tokio::test(start_paused = true)]
async fn a_link_cut_one_way_carries_the_other_until_it_is_noticed_and_heals() {
    let ether = Ether::new(2, Weather::default());
    let [(a, mut to_a), (b, mut to_b)] = all(&ether, 8).await.try_into().ok().unwrap();
    let start = tokio::time::Instant::now();
    ether.cut(0, 1);
    a.send(1, vec![1]);
    b.send(0, vec![2]);
    assert_eq!(next(&mut to_a).await, Some(Event::Heard { from: 1, bytes: vec![2] }));
    assert_eq!((next(&mut to_a).await, next(&mut to_b).await), (Some(Event::Gone(1)), Some(Event::Gone(0))));
    assert!((1999..2100).contains(&start.elapsed().as_millis()), "{:?}", start.elapsed());
    assert_eq!((a.send(1, vec![3]), b.send(0, vec![3])), (Queued::Away, Queued::Away));
    ether.heal(0, 1);
    connected(&mut to_a, 1).await;
    connected(&mut to_b, 0).await;
    a.send(1, vec![4]);
    assert_eq!(next(&mut to_b).await, Some(Event::Heard { from: 0, bytes: vec![4] }));
    // A cut that heals before anybody notices costs messages and nothing else.
    ether.cut(1, 0);
    b.send(0, vec![5]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    ether.heal(1, 0);
    tokio::time::sleep(Duration::from_secs(10)).await;
    b.send(0, vec![6]);
    assert_eq!(next(&mut to_a).await, Some(Event::Heard { from: 1, bytes: vec![6] }));
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_to_one_life_does_not_reach_the_next() {
    let ether = Ether::new(2, Weather::default());
    let [(a, mut to_a), (b, _)] = all(&ether, 8).await.try_into().ok().unwrap();
    drop(b);
    assert_eq!(a.send(1, vec![1]), Queued::Taken, "nobody knows yet");
    let (b, mut to_b) = ether.join(group(1, 2), Limits::default()).unwrap();
    connected(&mut to_b, 0).await;
    connected(&mut to_a, 1).await;
    a.send(1, vec![2]);
    assert_eq!(next(&mut to_b).await, Some(Event::Heard { from: 0, bytes: vec![2] }));
    let (_c, _) = ether.join(group(1, 2), Limits::default()).unwrap();
    assert_eq!(next(&mut to_b).await, None, "there is a newer one");
    assert_eq!(b.send(0, vec![3]), Queued::Away);
    let error = ether.join(group(2, 3), Limits::default()).err();
    assert_eq!(error, Some(Misfit::Places { places: 2, members: 3 }));
}

#[tokio::test(start_paused = true)]
async fn two_manifests_are_shown_to_each_other_whatever_the_weather_is() {
    let ether = Ether::new(2, Weather { loss: 1.0, ..rough() });
    let with = |me, k| Group { manifest: [k; 32], text: format!("manifest {k}"), ..group(me, 2) };
    let (_a, mut to_a) = ether.join(with(0, 1), Limits::default()).unwrap();
    let (_b, mut to_b) = ether.join(with(1, 2), Limits::default()).unwrap();
    for (events, from, theirs) in [(&mut to_a, 1, "manifest 2"), (&mut to_b, 0, "manifest 1")] {
        let mut told = Vec::new();
        while told.len() < 2 {
            told.push(events.next().await.unwrap());
        }
        assert!(told.contains(&Event::Differs { from, theirs: theirs.into() }), "{told:?}");
    }
}
