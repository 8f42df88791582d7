//! Peers that hold different releases of lives that are lost. Each shows its own, and the owner charges all of them.

use std::collections::VecDeque;

use dpsda_node::entry::{Digest, Entry};
use dpsda_node::frame::Frame;
use dpsda_node::machine::{Happened, Machine, Record, Todo};

use crate::crash::EXPERIMENT;
use crate::setting::Setting;

fn seven() -> Setting {
    let text = EXPERIMENT.replace("nodes = 3", "nodes = 7").replace("features = 5", "features = 7");
    Setting::new(&text.replace("rounds = 6", "rounds = 12"))
}

/// The disk of node 0 after each of these rounds. It hears nobody.
fn alone(
    setting: &Setting,
    node: &mut dyn Machine,
    rounds: std::ops::Range<u64>,
    made: &mut Vec<(u64, Digest)>,
) -> Vec<Record> {
    let mut records = Vec::new();
    for t in rounds {
        setting.reveal(t, &mut |f| {
            for one in node.on(Happened::Cost(f)) {
                let Todo::Store(record) = one else { continue };
                made.push((record.round, record.entry.digest()));
                records.push(*record);
            }
        });
        node.on(Happened::Durable);
    }
    records
}

fn know(entry: &Entry) -> Vec<u8> {
    Frame::Know { round: 1, versions: vec![(0, 0); 7], mark: 0, entries: vec![entry.clone()] }.bytes()
}

/// Carries messages until there are none, and makes every record durable at once.
fn settle(nodes: &mut [Box<dyn Machine>], begun: Vec<(usize, Todo)>) {
    let mut todo = VecDeque::from(begun);
    while let Some((me, one)) = todo.pop_front() {
        let (at, next) = match one {
            Todo::Send { to, bytes } => (to, nodes[to].on(Happened::Heard { from: me, bytes: &bytes })),
            Todo::Store(_) => (me, nodes[me].on(Happened::Durable)),
            _ => continue,
        };
        todo.extend(next.into_iter().map(|one| (at, one)));
    }
}

#[test]
fn an_owner_goes_on_although_six_peers_show_it_six_different_releases_one_after_another() {
    let setting = seven();
    let (mut first, mut made) = (setting.node(0), Vec::new());
    let backup = alone(&setting, &mut *first, 0..2, &mut made).pop().unwrap();
    let kept = (backup, made.clone());
    let lost = alone(&setting, &mut *first, 2..8, &mut made);
    for order in [[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1], [3, 6, 1, 5, 2, 4]] {
        let mut nodes = vec![setting.start(0, 2, u64::MAX, Some(kept.clone())).unwrap().0];
        for (me, record) in (1..7).zip(&lost) {
            let mut peer = setting.node(me);
            let todo = peer.on(Happened::Heard { from: me % 6 + 1, bytes: &know(&record.entry) });
            assert!(todo.is_empty(), "it has nothing to say to this");
            nodes.push(peer);
        }
        for peer in order {
            let todo = nodes[peer].on(Happened::Connected(0));
            settle(&mut nodes, todo.into_iter().map(|one| (peer, one)).collect());
        }
        let owner = &nodes[0];
        assert!(!owner.stopped() && (1..=6).contains(&owner.epoch()), "{order:?}: epoch {}", owner.epoch());
        // Its own two releases, and all eight of the other life, because nobody knows where the two parted.
        let ledger = owner.learner().ledger();
        assert_eq!(ledger.releases(), 10, "{order:?}");
        assert_eq!(ledger.per_event(), setting.run.spec.plan().cost(0).times(2), "{order:?}");
        let newest = owner.known()[0].clone();
        assert!(nodes.iter().all(|node| node.known()[0] == newest), "{order:?}: all have its new block");
    }
}

/// The first life goes on to version 10. A second one begins epoch 1 at version 5 and makes versions 6, 7 and 8. A third one hears of
/// version 6 of the second, and charges both up to there. Events 6 and 7 were released by both.
#[test]
fn lives_of_different_epochs_that_released_one_event_are_all_charged_in_any_order() {
    let setting = seven();
    let (mut first, mut made) = (setting.node(0), Vec::new());
    let backup = (alone(&setting, &mut *first, 0..2, &mut made).pop().unwrap(), made.clone());
    let old = alone(&setting, &mut *first, 2..10, &mut made);
    let hear = |node: &mut Box<dyn Machine>, entry: &Entry| {
        let mut todo = node.on(Happened::Heard { from: 1, bytes: &know(entry) });
        while todo.iter().any(|one| matches!(one, Todo::Store(_))) {
            todo = node.on(Happened::Durable);
        }
    };
    let start = |life| setting.start(0, life, u64::MAX, Some(backup.clone())).unwrap().0;
    let mut second = start(2);
    hear(&mut second, &old[2].entry);
    let renewed = alone(&setting, &mut *second, 5..8, &mut Vec::new());
    let at = |entry: &Entry| (entry.content.epoch, entry.content.version);
    let (a10, b6, b8) = (&old[7].entry, &renewed[0].entry, &renewed[2].entry);
    assert_eq!([at(a10), at(b6), at(b8)], [(0, 10), (1, 6), (1, 8)]);
    let third = || {
        let mut third = start(3);
        hear(&mut third, b6);
        assert_eq!((third.epoch(), third.learner().ledger().releases()), (2, 2 + 2 * 6));
        third
    };
    let charged = |third: &dyn Machine| {
        let ledger = third.learner().ledger();
        (ledger.releases(), ledger.per_event())
    };
    let all = (2 + 2 * 6 + 4 + 2, setting.run.spec.plan().cost(0).times(3));
    for order in [[a10, b8], [b8, a10]] {
        let mut third = third();
        order.into_iter().for_each(|entry| hear(&mut third, entry));
        assert_eq!(charged(&*third), all, "{:?} first", at(order[0]));
        order.into_iter().for_each(|entry| hear(&mut third, entry));
        assert_eq!(charged(&*third), all, "and only once");
    }
    // A peer that knows both keeps both, and shows both when it hears of the third life's epoch.
    let mut nodes: Vec<_> = (0..7).map(|me| if me == 0 { third() } else { setting.node(me) }).collect();
    let newest = nodes[0].known()[0].clone().unwrap();
    [a10, b8].into_iter().for_each(|entry| _ = nodes[3].on(Happened::Heard { from: 2, bytes: &know(entry) }));
    let todo = nodes[3].on(Happened::Heard { from: 2, bytes: &know(&newest) });
    settle(&mut nodes, todo.into_iter().map(|one| (3, one)).collect());
    assert_eq!(charged(&*nodes[0]), all, "shown by a peer");
}
