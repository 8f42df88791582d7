use super::*;
use crate::transport::Event;

fn rough() -> Weather {
    let ms = Duration::from_millis;
    Weather { seed: 3, loss: 0.3, twice: 0.2, delay: ms(1)..=ms(20), queue: 10_000, ..Weather::default() }
}

/// What nodes 1 and 2 hear of two hundred messages of node 0 to each, a millisecond apart.
async fn heard(weather: Weather) -> Vec<(usize, u8, Duration)> {
    let net = Net::new(3, weather);
    let (sender, _events) = net.join(0).unwrap();
    let mut receivers: Vec<_> = [1, 2].map(|k| net.join(k).unwrap()).into();
    let (start, mut heard) = (tokio::time::Instant::now(), Vec::new());
    for step in 0..300_u64 {
        if let Ok(k) = u8::try_from(step)
            && k < 200
        {
            [1, 2].iter().for_each(|to| assert_eq!(sender.send(*to, vec![k]), Queued::Taken));
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        for (node, (_, events)) in (1..).zip(&mut receivers) {
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
    let all = heard(Weather { queue: 10_000, ..Weather::default() }).await;
    let one: Vec<u8> = all.iter().filter(|(node, ..)| *node == 1).map(|(_, message, _)| *message).collect();
    assert_eq!(one, (0..200).collect::<Vec<u8>>());
}

#[tokio::test(start_paused = true)]
async fn a_link_cut_one_way_carries_the_other_until_it_is_noticed_and_heals() {
    let net = Net::new(2, Weather::default());
    let ((a, mut to_a), (b, mut to_b)) = (net.join(0).unwrap(), net.join(1).unwrap());
    assert_eq!(
        (to_a.next().await, to_b.next().await),
        (Some(Event::Connected(1)), Some(Event::Connected(0)))
    );
    let start = tokio::time::Instant::now();
    net.cut(0, 1);
    a.send(1, vec![1]);
    b.send(0, vec![2]);
    assert_eq!(to_a.next().await, Some(Event::Heard { from: 1, bytes: vec![2] }));
    assert_eq!((to_a.next().await, to_b.next().await), (Some(Event::Gone(1)), Some(Event::Gone(0))));
    assert!((1999..2100).contains(&start.elapsed().as_millis()), "{:?}", start.elapsed());
    assert_eq!((a.send(1, vec![3]), b.send(0, vec![3])), (Queued::Away, Queued::Away));
    net.heal(0, 1);
    assert_eq!(
        (to_a.next().await, to_b.next().await),
        (Some(Event::Connected(1)), Some(Event::Connected(0)))
    );
    a.send(1, vec![4]);
    assert_eq!(to_b.next().await, Some(Event::Heard { from: 0, bytes: vec![4] }));
    // A cut that heals before anybody notices costs messages and nothing else.
    net.cut(1, 0);
    b.send(0, vec![5]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    net.heal(1, 0);
    tokio::time::sleep(Duration::from_secs(10)).await;
    b.send(0, vec![6]);
    assert_eq!(to_a.next().await, Some(Event::Heard { from: 1, bytes: vec![6] }));
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_to_one_life_does_not_reach_the_next() {
    let net = Net::new(2, Weather::default());
    let ((a, _to_a), (b, _)) = (net.join(0).unwrap(), net.join(1).unwrap());
    drop(b);
    assert_eq!(a.send(1, vec![1]), Queued::Taken, "nobody knows yet");
    let (b, mut to_b) = net.join(1).unwrap();
    assert_eq!(to_b.next().await, Some(Event::Connected(0)));
    a.send(1, vec![2]);
    assert_eq!(to_b.next().await, Some(Event::Heard { from: 0, bytes: vec![2] }));
    let (_c, _) = net.join(1).unwrap();
    assert_eq!(to_b.next().await, None, "there is a newer one");
    assert_eq!(b.send(0, vec![3]), Queued::Away);
    assert!(net.join(2).is_none());
}
