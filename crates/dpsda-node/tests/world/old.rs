//! Hosts whose disk is set back: peers show them their lost releases, and they begin a new epoch and pay for them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use dpsda_node::entry::{Digest, Entry};
use dpsda_node::frame::Frame;
use dpsda_node::machine::{Happened, Machine, Record, Todo};
use rayon::prelude::*;

use crate::crash::EXPERIMENT;
use crate::host::World;
use crate::seeds::seeds;
use crate::setting::Setting;

/// The numbers of hosts that were set back after a release; of these, that heard of it; that equivocated before they heard;
/// that heard nothing although a peer knows a release they did not make; and that have halted.
#[derive(Default)]
struct Counts {
    set_back: AtomicU64,
    heard: AtomicU64,
    equivocated: AtomicU64,
    kept_from_it: AtomicU64,
    halted: AtomicU64,
}

impl Counts {
    fn all(&self) -> [u64; 5] {
        [&self.set_back, &self.heard, &self.equivocated, &self.kept_from_it, &self.halted]
            .map(|count| count.load(Ordering::Relaxed))
    }
}

fn survives(setting: &Setting, budget: u64, seed: u64, counts: &Counts) {
    let mut world = World::new(setting, budget, seed);
    world.patient = seed.is_multiple_of(2);
    for step in 0..150 {
        let i = (seed as usize + step) % 3;
        if step % 40 > 20 && !world.hosts[i].set_back && world.chance(0.03) {
            world.set_back(i);
        }
        world.step(0.05);
    }
    world.settle();
    while !world.is_still() {
        world.step(0.0); // a message under way may carry a release that its owner has lost
    }
    for i in 0..3 {
        let (host, machine) = (&world.hosts[i], world.machine(i));
        let ledger = machine.learner().ledger();
        let mine = || world.seen.iter().filter(|((owner, ..), _)| *owner == i as u32);
        let equivocated = mine().any(|(_, digests)| digests.len() > 1);
        counts.set_back.fetch_add(u64::from(host.set_back), Ordering::Relaxed);
        counts.equivocated.fetch_add(u64::from(equivocated), Ordering::Relaxed);
        let Some(version) = host.overtaken else {
            let made = world.kept(i).map_or_else(Vec::new, |(_, made)| made);
            let mine = |entry: &Entry| made.iter().any(|(_, digest)| *digest == entry.digest());
            let others = (0..3).filter(|p| *p != i).filter_map(|p| world.machine(p).known()[i].as_ref());
            counts.kept_from_it.fetch_add(u64::from(!others.into_iter().all(mine)), Ordering::Relaxed);
            assert_eq!(machine.epoch(), 0, "seed {seed}");
            continue;
        };
        counts.heard.fetch_add(1, Ordering::Relaxed);
        assert!(machine.epoch() > 0, "seed {seed}: a new epoch");
        counts.halted.fetch_add(u64::from(machine.stopped()), Ordering::Relaxed);
        if setting.averages() {
            let (wire, twice) = shares(&world, i, version);
            assert!(machine.stopped(), "seed {seed}");
            assert!(
                ledger.releases() >= wire,
                "seed {seed}: {wire} on the wire, charged {}",
                ledger.releases()
            );
            let least = setting.run.spec.plan().cost(i).times(if twice { 2 } else { 1 });
            assert_eq!(ledger.per_event(), least.max(ledger.per_event()), "seed {seed}");
            counts.equivocated.fetch_add(u64::from(twice), Ordering::Relaxed);
            continue;
        }
        // The first release of an epoch is the newest block of another life, signed again.
        let epochs: std::collections::BTreeSet<u64> =
            mine().map(|((_, e, _), _)| *e).filter(|e| *e > 0).collect();
        let known = mine().filter(|((_, e, v), _)| *e > 0 || *v <= version);
        let wire = known.map(|(_, digests)| digests.len() as u64).sum::<u64>() - epochs.len() as u64;
        assert!(ledger.releases() >= wire, "seed {seed}: the wire saw {wire}, charged {}", ledger.releases());
        let once = setting.run.spec.plan().cost(i);
        if mine().any(|((_, _, v), digests)| *v <= version && digests.len() > 1) {
            assert_eq!(ledger.per_event(), once.times(2).max(ledger.per_event()), "seed {seed}");
        }
        // Charges for lost releases may exceed the budget. New releases may not.
        let fresh = mine().filter(|((_, e, _), _)| *e == machine.epoch()).count() > 1;
        assert!(!fresh || ledger.releases() <= budget, "seed {seed}: released above the budget");
    }
}

/// How many releases node `i` has sent, as far as it can know, and whether there are two of one round.
fn shares(world: &World<'_>, i: usize, heard: u64) -> (u64, bool) {
    let known = 1..=heard.max(world.machine(i).round()); // its first message is only noise
    let (mut by_link, mut twice) = (BTreeMap::new(), false);
    for ((from, to, round), all) in &world.said {
        if *from == i && known.contains(round) {
            *by_link.entry(*to).or_insert(0) += all.len() as u64;
            twice |= all.len() > 1;
        }
    }
    (by_link.into_values().max().unwrap_or(0), twice)
}

#[test]
fn a_host_with_an_old_disk_in_step_pays_and_goes_on_if_it_relays() {
    for name in ["dpsda-c", "dpsda-ps", "dpsda-r"] {
        let (setting, counts) = (crate::step::setting(name), Counts::default());
        seeds(400).into_par_iter().for_each(|seed| survives(&setting, u64::MAX, seed, &counts));
        let [set_back, heard, equivocated, kept_from_it, halted] = counts.all();
        println!(
            "{name}: {set_back} set back, {heard} heard, {equivocated} equivocated, {kept_from_it} kept from it"
        );
        assert!(set_back > 500 && heard > 100 && (1..heard).contains(&equivocated), "{name}");
        assert!(kept_from_it * 50 < heard, "{name}: {kept_from_it} of {heard}");
        let expected = if name == "dpsda-r" { 0 } else { heard };
        assert_eq!(halted, expected, "{name}: of {heard}");
    }
}

#[test]
fn a_host_with_an_old_disk_begins_a_new_epoch_and_everybody_takes_it() {
    let counts = Counts::default();
    for mechanism in ["discrete-gaussian", "tree", "toeplitz"] {
        let setting = Setting::new(&EXPERIMENT.replace("discrete-gaussian", mechanism));
        seeds(400).into_par_iter().for_each(|seed| {
            survives(&setting, if seed % 3 == 0 { 9 } else { u64::MAX }, seed, &counts);
        });
    }
    let [set_back, heard, equivocated, kept_from_it, halted] = counts.all();
    assert!(set_back > 500, "{set_back}");
    assert!(heard * 3 > set_back, "{heard} of {set_back}: the others had lost nothing that anybody knew");
    assert!((1..heard).contains(&equivocated), "{equivocated} of {heard} spoke before they heard");
    assert_eq!(kept_from_it, 0);
    assert_eq!(halted, 0, "of {heard}: a host may hear of a life piece by piece");
}

/// All hosts stop, one disk is set back, and all start again. The disks of the others reveal it.
#[test]
fn an_old_disk_is_noticed_even_if_all_hosts_were_restarted() {
    let setting = Setting::new(EXPERIMENT);
    let told = |seed: &u64| {
        let mut world = World::new(&setting, u64::MAX, *seed);
        world.patient = true;
        (0..150).for_each(|_| world.step(0.0));
        (0..3).for_each(|i| world.crash(i));
        world.flying.clear();
        let version = |entry: &dpsda_node::entry::Entry| entry.content.version;
        let others = (1..3).filter_map(|i| world.last(i)).flat_map(|record| record.others);
        let remembered = others.filter(|entry| entry.content.owner == 0).map(|entry| version(&entry)).max();
        world.put_back(0, world.hosts[0].backups.len() / 2);
        let lost = remembered > world.last(0).map(|record| version(&record.entry));
        world.settle();
        assert!(!lost || world.hosts[0].overtaken.is_some(), "seed {seed}: {remembered:?} is remembered");
        assert_eq!(world.machine(0).epoch() > 0, world.hosts[0].overtaken.is_some(), "seed {seed}");
        lost
    };
    let lost = seeds(200).filter(told).count();
    assert!(lost > 50, "{lost}");
}

/// Makes every record durable.
fn durable(machine: &mut dyn Machine, mut todo: Vec<Todo>) {
    while todo.iter().any(|one| matches!(one, Todo::Store(_))) {
        todo = machine.on(Happened::Durable);
    }
}

/// The disk of a node that hears nobody, after this many rounds, each made durable.
fn alone(
    setting: &Setting,
    machine: &mut dyn Machine,
    rounds: std::ops::Range<u64>,
    kept: &mut Vec<(u64, Digest)>,
) -> Record {
    let mut last = None;
    for t in rounds {
        setting.reveal(t, &mut |f| {
            for one in machine.on(Happened::Cost(f)) {
                let Todo::Store(record) = one else { continue };
                kept.push((record.round, record.entry.digest()));
                last = Some(*record);
            }
        });
        machine.on(Happened::Durable);
    }
    last.unwrap()
}

/// A host with an old disk goes on alone, passes the version that its peers know, and is restarted. Its new releases are on its
/// disk.
#[test]
fn an_old_disk_that_went_on_alone_and_was_restarted_is_noticed_nevertheless() {
    let setting = Setting::new(EXPERIMENT);
    let (mut first, mut made) = (setting.node(0), Vec::new());
    let backup = (alone(&setting, &mut *first, 0..2, &mut made), made.clone());
    let known = alone(&setting, &mut *first, 2..4, &mut made.clone()).entry;
    let mut second = setting.start(0, 2, u64::MAX, Some(backup)).unwrap().0;
    let own = alone(&setting, &mut *second, 2..4, &mut made).entry;
    let last = alone(&setting, &mut *second, 4..6, &mut made);
    let hear = |machine: &mut dyn Machine, entry: &Entry| {
        let (versions, entries) = (vec![(0, 0); 3], vec![entry.clone()]);
        let know = Frame::Know { round: 4, versions, mark: 0, entries };
        let todo = machine.on(Happened::Heard { from: 1, bytes: &know.bytes() });
        todo.iter().any(|one| matches!(one, Todo::Overtaken(_)))
    };
    let third = || setting.start(0, 3, u64::MAX, Some((last.clone(), made.clone()))).unwrap().0;
    assert!(hear(&mut *third(), &known), "a release of another life");
    assert!(!hear(&mut *third(), &own), "its own, from before it was restarted");
}

#[test]
fn two_processes_with_one_key_do_not_outbid_each_other_for_ever() {
    let setting = Setting::new(EXPERIMENT);
    let mut both = [1, 2].map(|life| setting.start(0, life, u64::MAX, None).unwrap().0);
    for machine in &mut both {
        setting.reveal(0, &mut |f| {
            let todo = machine.on(Happened::Cost(f));
            durable(&mut **machine, todo);
        });
    }
    for k in 0..40 {
        let entry = both[k % 2].known()[0].clone().unwrap();
        let know = Frame::Know { round: 1, versions: vec![(0, 0); 3], mark: 0, entries: vec![entry] };
        let machine = &mut *both[1 - k % 2];
        let todo = machine.on(Happened::Heard { from: 1, bytes: &know.bytes() });
        durable(machine, todo);
    }
    let found: Vec<(bool, u64)> = both.iter().map(|machine| (machine.stopped(), machine.epoch())).collect();
    assert!(found.iter().all(|(_, epoch)| (3..=7).contains(epoch)), "{found:?}");
    assert!(found.iter().any(|(stopped, _)| *stopped), "{found:?}");
}

/// A peer that knows a later release than the owner has heard of shows it, also if it hears of the new epoch first and is restarted.
#[test]
fn what_a_new_epoch_replaces_is_shown_to_its_owner_whoever_is_heard_first() {
    let setting = Setting::new(EXPERIMENT);
    let know = |entry: &Entry| {
        Frame::Know { round: 1, versions: vec![(0, 0); 3], mark: 0, entries: vec![entry.clone()] }.bytes()
    };
    let (mut first, mut made) = (setting.node(0), Vec::new());
    let backup = (alone(&setting, &mut *first, 0..2, &mut made), made.clone());
    let some = alone(&setting, &mut *first, 2..3, &mut made.clone()).entry;
    let more = alone(&setting, &mut *first, 3..5, &mut made.clone()).entry;
    let owner = || {
        let mut owner = setting.start(0, 2, u64::MAX, Some(backup.clone())).unwrap().0;
        let todo = owner.on(Happened::Heard { from: 2, bytes: &know(&some) });
        durable(&mut *owner, todo);
        assert_eq!(owner.epoch(), 1);
        owner
    };
    let renewed = owner().known()[0].clone().unwrap();
    let to_owner = |todo: Vec<Todo>| -> Vec<Vec<u8>> {
        todo.into_iter()
            .filter_map(|one| if let Todo::Send { to: 0, bytes } = one { Some(bytes) } else { None })
            .collect()
    };
    let pays = |shown: Vec<Vec<u8>>| {
        let mut owner = owner();
        for bytes in shown {
            let todo = owner.on(Happened::Heard { from: 1, bytes: &bytes });
            durable(&mut *owner, todo);
        }
        owner.epoch() == 2
    };
    let mut peer = setting.node(1);
    assert!(to_owner(peer.on(Happened::Heard { from: 2, bytes: &know(&more) })).is_empty());
    assert!(pays(to_owner(peer.on(Happened::Heard { from: 2, bytes: &know(&renewed) }))), "at once");
    let mut made = Vec::new();
    let disk = alone(&setting, &mut *peer, 0..1, &mut made);
    let mut again = setting.start(1, 2, u64::MAX, Some((disk, made))).unwrap().0;
    assert_eq!(again.known()[0].as_ref(), Some(&renewed), "the newest is the newest after a restart");
    assert!(pays(to_owner(again.on(Happened::Connected(0)))), "after a restart, as soon as they meet");
    assert!(
        (0..40).any(|_| pays(to_owner(again.on(Happened::Tick)))),
        "and again, because messages are lost"
    );
    let mut in_step = Setting::in_step(EXPERIMENT).node(1);
    in_step.on(Happened::Heard { from: 2, bytes: &know(&more) });
    let shown = to_owner(in_step.on(Happened::Heard { from: 2, bytes: &know(&renewed) }));
    assert!(shown.contains(&Frame::Yours(more).bytes()), "in step, too");
}
