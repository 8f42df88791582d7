//! Hosts, their disks, and the network between them.

mod promises;

use std::collections::{BTreeMap, BTreeSet};

use dpsda::learner::Standing;
use dpsda::objective::Objective;
use dpsda::privacy::Released;
use dpsda::rng::{Purpose, Seed, Stream};
use dpsda_audit::canary::CostStream;
use dpsda_node::entry::Digest;
use dpsda_node::frame::Refusal;
use dpsda_node::machine::{Happened, Machine, Record, Todo};
use rand::RngExt;

use crate::capture::Capture;
use crate::setting::{Kept, Setting};

/// One host: a machine that may be down, and a disk that stays.
pub(crate) struct Host {
    machine: Option<Box<dyn Machine>>,
    /// The durable record, as bytes.
    pub(crate) disk: Option<Vec<u8>>,
    /// The record's round, its entry's version, and the releases that its ledger counts.
    durable: Option<(u64, u64, u64)>,
    /// The record that is being stored and is not durable yet.
    writing: Option<Box<Record>>,
    pub(crate) lives: u32,
    /// Whether it has heard a peer since it was started.
    heard: bool,
    /// Every state that its disk ever held, and whether the disk was set back to one of them.
    pub(crate) backups: Vec<Option<Vec<u8>>>,
    pub(crate) set_back: bool,
    /// The newest lost version that it has heard of: now, when it last decided to begin an epoch, and when that epoch was
    /// durable.
    pub(crate) heard_of: Option<u64>,
    accounted: Option<u64>,
    pub(crate) overtaken: Option<u64>,
}

fn marks(record: &Record) -> (u64, u64, u64) {
    (record.round, record.entry.content.version, record.saved.ledger.releases())
}

/// The whole world: hosts, network and what was observed.
pub(crate) struct World<'a> {
    setting: &'a Setting,
    budget: u64,
    pub(crate) hosts: Vec<Host>,
    pub(crate) flying: Vec<(usize, usize, Vec<u8>)>,
    pub(crate) rng: Stream,
    /// Every release that was ever sent, and its digest.
    pub(crate) seen: BTreeMap<(u32, u64, u64), BTreeSet<Digest>>,
    /// Whether hosts that start wait until they have heard a peer, or some time has passed, before they release.
    pub(crate) patient: bool,
    /// Every decision that was ever committed, by node, epoch and round.
    decided: BTreeMap<(usize, u64, u64), Vec<u64>>,
    /// All messages sent on each link in each round.
    pub(crate) said: BTreeMap<(usize, usize, u64), BTreeSet<Vec<u8>>>,
    /// Every share of a dual that was made durable, by node and the round in which it was first sent.
    pub(crate) released: BTreeMap<(usize, u64), Vec<i64>>,
    /// Crashed hosts that the others are about to notice.
    noticed: Vec<usize>,
    /// The newest epoch that each node has begun.
    began: BTreeMap<usize, u64>,
    pub(crate) exhausted: usize,
    /// The name of the noise: hosts of two worlds never draw the same noise.
    seed: u64,
    /// Costs to use instead of the setting's.
    pub(crate) costs: Option<&'a dyn CostStream>,
    /// The record of an eavesdropper on all links.
    pub(crate) capture: Option<Capture>,
}

impl<'a> World<'a> {
    pub(crate) fn new(setting: &'a Setting, budget: u64, seed: u64) -> Self {
        let host = || Host {
            machine: None,
            disk: None,
            durable: None,
            writing: None,
            lives: 0,
            heard: false,
            backups: vec![None],
            set_back: false,
            heard_of: None,
            accounted: None,
            overtaken: None,
        };
        let hosts = (0..setting.run.spec.blocks().nodes()).map(|_| host()).collect();
        let rng = Seed::new(seed).stream(Purpose::Outage, 0, 0);
        Self {
            setting,
            budget,
            hosts,
            flying: Vec::new(),
            rng,
            seen: BTreeMap::new(),
            patient: false,
            decided: BTreeMap::new(),
            said: BTreeMap::new(),
            released: BTreeMap::new(),
            noticed: Vec::new(),
            began: BTreeMap::new(),
            exhausted: 0,
            seed,
            costs: None,
            capture: None,
        }
    }

    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.rng.random::<f64>() < share
    }

    /// One step of one host: an arrival, a cost, a write that ends, a crash, a start.
    pub(crate) fn step(&mut self, faults: f64) {
        if let Some(gone) = self.noticed.pop()
            && self.hosts[gone].machine.is_none()
        {
            (0..self.hosts.len()).for_each(|i| self.tell(i, Happened::Gone(gone), faults));
        }
        let i = self.rng.random_range(0..self.hosts.len());
        if self.hosts[i].machine.is_none() {
            return self.start(i, faults);
        }
        if self.chance(faults) {
            return self.crash(i);
        }
        if self.setting.in_step && self.chance(faults / 2.0) {
            return self.tell(i, Happened::Late, faults);
        }
        match self.rng.random_range(0..3) {
            0 => self.arrive(i, faults),
            1 => self.cost(i, faults),
            _ => self.stored(i, faults),
        }
    }

    pub(crate) fn start(&mut self, i: usize, faults: f64) {
        let host = &mut self.hosts[i];
        host.lives += 1;
        host.heard = false;
        let life = self.seed << 20 | u64::from(host.lives);
        let begun = self.setting.start(i, life, self.budget, self.kept(i));
        let (machine, todo) = begun.expect("a host can read its own record");
        self.hosts[i].machine = Some(machine);
        self.follow(i, todo, faults);
        for peer in 0..self.hosts.len() {
            self.tell(i, Happened::Connected(peer), faults);
            self.tell(peer, Happened::Connected(i), faults);
        }
    }

    /// Stops a host and restarts it with an earlier state of its disk, or with an empty disk.
    pub(crate) fn set_back(&mut self, i: usize) {
        self.crash(i);
        let k = self.rng.random_range(0..self.hosts[i].backups.len());
        self.put_back(i, k);
    }

    /// Sets its disk back to the state after this many writes. The host does not know.
    pub(crate) fn put_back(&mut self, i: usize, k: usize) {
        self.hosts[i].disk = self.hosts[i].backups[k].clone();
        self.hosts[i].durable = self.last(i).as_ref().map(marks);
        self.hosts[i].set_back = true;
    }

    fn write(&mut self, i: usize, record: &Record) {
        let before = self.kept(i).filter(|(last, _)| last.epoch == record.epoch);
        let mut made = before.map_or_else(Vec::new, |(_, made)| made);
        made.push((record.round, record.entry.digest()));
        let bytes = postcard::to_stdvec(&(record, made)).unwrap();
        if let Standing::Gossip { mixed, dual, .. } = &record.saved.standing {
            let units = |released: &Released| released.units().unwrap().0.to_vec();
            let share = units(dual).iter().zip(units(mixed)).map(|(h, z)| h.wrapping_sub(z)).collect();
            self.released.insert((i, record.round), share);
            if let Some(capture) = &mut self.capture {
                capture.keeps(i, record.round, mixed, dual);
            }
        }
        self.hosts[i].backups.push(Some(bytes.clone()));
        self.hosts[i].disk = Some(bytes);
        self.hosts[i].durable = Some(marks(record));
        let (host, began) = (&mut self.hosts[i], self.began.entry(i).or_default());
        if record.epoch > *began {
            *began = record.epoch;
            host.overtaken = host.overtaken.max(host.accounted);
        }
    }

    pub(crate) fn crash(&mut self, i: usize) {
        if self.rng.random() {
            self.noticed.push(i);
        }
        let host = &mut self.hosts[i];
        host.machine = None;
        host.heard_of = None;
        // A write that was under way is there or not.
        if let Some(record) = host.writing.take()
            && self.rng.random()
        {
            self.write(i, &record);
        }
    }

    fn arrive(&mut self, i: usize, faults: f64) {
        let mine: Vec<usize> = (0..self.flying.len()).filter(|k| self.flying[*k].1 == i).collect();
        if mine.is_empty() {
            return;
        }
        let k = mine[self.rng.random_range(0..mine.len())];
        let (from, _, bytes) =
            if self.chance(faults) { self.flying[k].clone() } else { self.flying.swap_remove(k) };
        if !self.chance(faults) {
            self.hosts[i].heard = true;
            self.tell(i, Happened::Heard { from, bytes: &bytes }, faults);
        }
    }

    pub(crate) fn cost(&mut self, i: usize, faults: f64) {
        let Some(machine) = &self.hosts[i].machine else { return };
        let ready = machine.ready();
        let waits = self.patient && !self.hosts[i].heard && !self.chance(0.05);
        if !ready || waits {
            return;
        }
        let Some(machine) = &mut self.hosts[i].machine else { return };
        let (t, mut todo) = (machine.round(), Vec::new());
        let mut learn = |f: &dyn Objective| todo = machine.on(Happened::Cost(f));
        match self.costs {
            Some(costs) => costs.reveal(t, &mut learn),
            None => self.setting.reveal(t, &mut learn),
        }
        self.follow(i, todo, faults);
    }

    pub(crate) fn stored(&mut self, i: usize, faults: f64) {
        if let Some(record) = self.hosts[i].writing.take() {
            self.write(i, &record);
            if self.chance(faults) {
                return self.crash(i); // durable, and nobody was told
            }
            self.tell(i, Happened::Durable, faults);
        }
    }

    pub(crate) fn tell(&mut self, i: usize, happened: Happened<'_>, faults: f64) {
        let Some(machine) = &mut self.hosts[i].machine else { return };
        let todo = machine.on(happened);
        self.follow(i, todo, faults);
    }

    /// Carries out a machine's instructions, and may crash between any two of them.
    fn follow(&mut self, i: usize, todo: Vec<Todo>, faults: f64) {
        for one in todo {
            if self.chance(faults / 4.0) {
                return self.crash(i);
            }
            match one {
                Todo::Store(record) => {
                    self.hosts[i].accounted = self.hosts[i].heard_of;
                    if let (Some(capture), Some(machine)) = (&mut self.capture, &self.hosts[i].machine) {
                        capture.stores(i, record.round, machine.known());
                    }
                    self.hosts[i].writing = Some(record);
                }
                Todo::Send { to, bytes } => {
                    self.tap(i, to, &bytes);
                    self.flying.push((i, to, bytes));
                }
                Todo::Decide { round, block } => self.decide(i, round, &block),
                Todo::Exhausted(_) => self.exhausted += 1,
                Todo::Refuse { from, why } => {
                    let old = why == Refusal::Equivocation && self.hosts.iter().any(|host| host.set_back);
                    assert!(old, "{i} refuses {why} from {from}, and all are honest");
                }
                Todo::Overtaken(entry) => {
                    let host = &mut self.hosts[i];
                    assert!(host.set_back, "{i} is overtaken by itself: {:?}", entry.content);
                    host.heard_of = host.heard_of.max(Some(entry.content.version));
                }
            }
        }
    }

    pub(crate) fn kept(&self, i: usize) -> Option<Kept> {
        self.hosts[i].disk.as_ref().map(|bytes| postcard::from_bytes(bytes).unwrap())
    }

    /// Whether no message and no write is under way.
    pub(crate) fn is_still(&self) -> bool {
        self.flying.is_empty() && self.hosts.iter().all(|host| host.writing.is_none())
    }

    /// The last record on a disk.
    pub(crate) fn last(&self, i: usize) -> Option<Record> {
        self.kept(i).map(|(record, _)| record)
    }

    pub(crate) fn machine(&self, i: usize) -> &dyn Machine {
        self.hosts[i].machine.as_deref().unwrap()
    }
}
