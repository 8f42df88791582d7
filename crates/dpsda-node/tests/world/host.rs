//! Hosts, their disks, and the wire between them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use dpsda::experiment::Cell;
use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::learner::{Learner, Life, Setup};
use dpsda::objective::Batch;
use dpsda::privacy::Released;
use dpsda::rng::{Key, Purpose, Seed, Stream};
use dpsda_node::entry::Digest;
use dpsda_node::frame::{Frame, Refusal, Shape};
use dpsda_node::identity::{Identity, PublicKey};
use dpsda_node::machine::{Free, Happened, Lockstep, Machine, Record, Terms, Todo};
use dpsda_sim::Experiment;
use rand::RngExt;

pub(crate) const MANIFEST: Digest = [5; 32];

/// A machine, and what it says first.
pub(crate) type Begun = (Box<dyn Machine>, Vec<Todo>);

/// An experiment for hosts, and the data that all of them see.
pub(crate) struct Setting {
    pub(crate) cell: Cell,
    /// Whether its nodes go in step.
    in_step: bool,
    samples: Samples,
    identities: Vec<Arc<Identity>>,
    members: Vec<PublicKey>,
}

impl Setting {
    pub(crate) fn new(text: &str) -> Self {
        let cell = Experiment::load(text, &[], Path::new("")).unwrap().cells.swap_remove(0);
        let mut rng = Seed::default().stream(Purpose::Data, 0, 0);
        let (rounds, d) = (cell.split.rounds as usize, cell.blocks.dim());
        let features: Vec<f64> = (0..rounds * d).map(|_| rng.random::<f64>() - 0.5).collect();
        let labels: Vec<f64> = (0..rounds).map(|_| rng.random::<f64>() - 0.5).collect();
        let samples = Samples { features: Box::new(Dense::new(features, d).unwrap()), labels };
        let identity = |k: usize| Arc::new(Identity::from_secret([k as u8 + 1; 32]));
        let identities: Vec<_> = (0..cell.blocks.nodes()).map(identity).collect();
        let members = identities.iter().map(|identity| identity.public()).collect();
        Self { identities, members, cell, samples, in_step: false }
    }

    pub(crate) fn in_step(text: &str) -> Self {
        Self { in_step: true, ..Self::new(text) }
    }

    /// A node that nobody crashes.
    pub(crate) fn node(&self, me: usize) -> Box<dyn Machine> {
        self.start(me, 0, u64::MAX, None).unwrap().0
    }

    /// A node in one of its lives, on what its disk has. None if that is not its own.
    pub(crate) fn start(&self, me: usize, life: u32, budget: u64, record: Option<Record>) -> Option<Begun> {
        let mut randomness = [me as u8; 32];
        randomness[..4].copy_from_slice(&life.to_le_bytes());
        let (terms, learner) = (self.terms(me, budget), self.learner(me, Key::new(randomness)));
        fn boxed<M: Machine + 'static>((machine, todo): (M, Vec<Todo>)) -> Begun {
            (Box::new(machine), todo)
        }
        match (record, self.in_step) {
            (Some(record), false) => Free::resume(terms, learner, record).map(boxed),
            (None, false) => Free::new(terms, learner).map(boxed),
            (Some(record), true) => Lockstep::resume(terms, learner, record).map(boxed),
            (None, true) => Lockstep::new(terms, learner).map(boxed),
        }
    }

    pub(crate) fn members(&self) -> &[PublicKey] {
        &self.members
    }

    fn averages(&self) -> bool {
        self.cell.algorithm.build.averages
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape { blocks: self.cell.blocks.sizes(), squares: false }
    }

    /// The learner of node `me` in one of its lives: noise is never drawn twice from the same name.
    fn learner(&self, me: usize, key: Key) -> Box<dyn Learner> {
        let (cell, net) = (&self.cell, self.cell.network.as_ref().unwrap());
        (cell.algorithm.build.build)(Setup {
            node: me,
            blocks: Arc::clone(&cell.blocks),
            set: Arc::clone(&cell.set),
            step: cell.step,
            weights: net.weights.clone(),
            plan: Arc::clone(&cell.plan),
            links: net.links,
            feedback: cell.problem.feedback,
            gradient_error: 0.0,
            seed: Seed::default(),
            key: Some(key),
        })
    }

    fn terms(&self, me: usize, budget: u64) -> Terms {
        Terms {
            me,
            identity: Arc::clone(&self.identities[me]),
            manifest: MANIFEST,
            members: self.members.clone(),
            topology: Arc::clone(&self.cell.network.as_ref().unwrap().topology),
            shape: self.shape(),
            unit: self.cell.plan.unit().unwrap(),
            horizon: self.cell.split.rounds,
            affords: Box::new(move |ledger| ledger.releases() <= budget),
        }
    }
}

/// One host: a machine that may be down, and a disk that stays.
pub(crate) struct Host {
    machine: Option<Box<dyn Machine>>,
    /// What is durable: the last record, as bytes.
    pub(crate) disk: Option<Vec<u8>>,
    /// Of that record: its round, its entry's version, and the releases that its ledger has counted.
    durable: Option<(u64, u64, u64)>,
    /// What is said to be stored and is not durable yet.
    writing: Option<Box<Record>>,
    pub(crate) lives: u32,
    /// Whether it has heard anybody since it was started.
    heard: bool,
    /// Everything that its disk ever held, and whether it was set back to some of that.
    pub(crate) backups: Vec<Option<Vec<u8>>>,
    pub(crate) set_back: bool,
    /// The newest version of a life that it lost, if it has heard of one: now, when it last set out to begin
    /// an epoch, and when that was durable.
    pub(crate) heard_of: Option<u64>,
    accounted: Option<u64>,
    pub(crate) overtaken: Option<u64>,
}

fn marks(record: &Record) -> (u64, u64, u64) {
    (record.round, record.entry.claim.version, record.saved.ledger.releases())
}

/// Everything there is.
pub(crate) struct World<'a> {
    setting: &'a Setting,
    budget: u64,
    pub(crate) hosts: Vec<Host>,
    pub(crate) flying: Vec<(usize, usize, Vec<u8>)>,
    pub(crate) rng: Stream,
    /// Every release that any wire has ever carried, and its digest.
    pub(crate) seen: BTreeMap<(u32, u64, u64), BTreeSet<Digest>>,
    /// Whether hosts that start wait until they have heard somebody, or some time has passed, before they release.
    pub(crate) patient: bool,
    /// Every decision that was ever committed, by node, epoch and round.
    decided: BTreeMap<(usize, u64, u64), Vec<u64>>,
    /// What everybody put on a link in a round.
    said: BTreeMap<(usize, usize, u64), Vec<u8>>,
    /// Every share of a dual that was made durable, by node and the round it was said in first.
    pub(crate) released: BTreeMap<(usize, u64), Vec<i64>>,
    /// Whose end others are about to notice.
    noticed: Vec<usize>,
    /// The newest epoch that anybody has begun.
    began: BTreeMap<usize, u64>,
    pub(crate) exhausted: usize,
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
        let hosts = (0..setting.cell.blocks.nodes()).map(|_| host()).collect();
        let rng = Seed { seed, trial: 0 }.stream(Purpose::Outage, 0, 0);
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
        }
    }

    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.rng.random::<f64>() < share
    }

    /// One step of anybody: an arrival, a cost, a write that ends, a crash, a start.
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

    fn start(&mut self, i: usize, faults: f64) {
        let host = &mut self.hosts[i];
        host.lives += 1;
        host.heard = false;
        let record = host.disk.as_ref().map(|bytes| postcard::from_bytes(bytes).unwrap());
        let begun = self.setting.start(i, host.lives, self.budget, record);
        let (machine, todo) = begun.expect("what it wrote it can read");
        host.machine = Some(machine);
        self.follow(i, todo, faults);
        for peer in 0..self.hosts.len() {
            self.tell(i, Happened::Connected(peer), faults);
            self.tell(peer, Happened::Connected(i), faults);
        }
    }

    /// It stops, and comes back with what its disk held some time ago, or with nothing.
    pub(crate) fn set_back(&mut self, i: usize) {
        self.crash(i);
        let k = self.rng.random_range(0..self.hosts[i].backups.len());
        self.hosts[i].disk = self.hosts[i].backups[k].clone();
        self.hosts[i].durable = self.last(i).as_ref().map(marks);
        self.hosts[i].set_back = true;
    }

    fn write(&mut self, i: usize, record: &Record) {
        let bytes = postcard::to_stdvec(record).unwrap();
        if let Life::Gossip { mixed, dual, .. } = &record.saved.life {
            let units = |released: &Released| released.units().unwrap().0.to_vec();
            let share = units(dual).iter().zip(units(mixed)).map(|(h, z)| h.wrapping_sub(z)).collect();
            self.released.insert((i, record.round), share);
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

    fn crash(&mut self, i: usize) {
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

    fn cost(&mut self, i: usize, faults: f64) {
        let Some(machine) = &self.hosts[i].machine else { return };
        let ready = machine.ready();
        let waits = self.patient && !self.hosts[i].heard && !self.chance(0.05);
        if !ready || waits {
            return;
        }
        let Some(machine) = &self.hosts[i].machine else { return };
        let rows = [machine.round() as usize];
        let f = Batch { samples: &self.setting.samples, rows: &rows, loss: &*self.setting.cell.problem.loss };
        self.tell(i, Happened::Cost(&f), faults);
    }

    fn stored(&mut self, i: usize, faults: f64) {
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

    /// Does what a machine says, and may crash between any two things.
    fn follow(&mut self, i: usize, todo: Vec<Todo>, faults: f64) {
        for one in todo {
            if self.chance(faults / 4.0) {
                return self.crash(i);
            }
            match one {
                Todo::Store(record) => {
                    self.hosts[i].accounted = self.hosts[i].heard_of;
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
                    assert!(host.set_back, "{i} is overtaken by itself: {:?}", entry.claim);
                    host.heard_of = host.heard_of.max(Some(entry.claim.version));
                }
            }
        }
    }

    /// What is on a disk.
    pub(crate) fn last(&self, i: usize) -> Option<Record> {
        self.hosts[i].disk.as_ref().map(|bytes| postcard::from_bytes(bytes).unwrap())
    }

    /// A decision is one, whatever crashes. Where the budget is spent no record says what was heard before a crash.
    fn decide(&mut self, i: usize, round: u64, block: &[f64]) {
        assert!(block.iter().all(|x| x.is_finite()));
        let Some(machine) = &self.hosts[i].machine else { return };
        let old = self.hosts[i].set_back && machine.epoch() == 0;
        let stored = match (self.setting.in_step, self.setting.averages()) {
            (false, _) => round <= self.hosts[i].durable.map_or(0, |(round, ..)| round + 1),
            (true, averages) => averages, // one who relays in step listens after its record
        };
        if !old && stored {
            let bits = block.iter().map(|x| x.to_bits()).collect();
            let first = self.decided.entry((i, machine.epoch(), round)).or_insert_with(|| Vec::clone(&bits));
            assert_eq!(*first, bits, "{i} decides round {round} twice");
        }
    }

    /// What whoever taps a wire sees: releases, each of which must be one, and durable.
    fn tap(&mut self, from: usize, to: usize, bytes: &[u8]) {
        let entries = match self.setting.shape().read(bytes) {
            Ok(Frame::Know { entries, .. }) => entries,
            Ok(Frame::Sum { round, .. }) => {
                assert!(self.hosts[from].durable.expect("durable").0 >= round, "said before it was durable");
                let first = self.said.entry((from, to, round)).or_insert_with(|| bytes.to_vec());
                assert_eq!(*first, bytes, "{from} says two things to {to} in round {round}");
                return;
            }
            Ok(Frame::Yours(_)) => return,
            _ => panic!("a frame"),
        };
        for entry in entries {
            let (claim, owner) = (&entry.claim, entry.claim.owner as usize);
            let digest = claim.digest(&MANIFEST);
            let all = self.seen.entry((claim.owner, claim.epoch, claim.version)).or_default();
            all.insert(digest);
            let old = self.hosts[owner].set_back && claim.epoch == 0; // until it hears of itself
            assert!(all.len() == 1 || old, "two releases of one version");
            if owner == from {
                let (_, version, releases) = self.hosts[from].durable.expect("durable");
                assert!(claim.version <= version, "sent before it was durable");
                assert!(releases >= claim.version, "the ledger is behind the wire");
            }
        }
    }

    /// Goes on without faults until nothing is left to do.
    pub(crate) fn settle(&mut self) {
        for _ in 0..100_000 {
            let rounds = self.setting.cell.split.rounds;
            let done = |host: &Host| {
                host.machine.as_ref().is_some_and(|m| m.round() == rounds && host.writing.is_none())
            };
            let all_done = self.hosts.iter().all(done);
            if self.setting.in_step && all_done {
                return;
            }
            if self.setting.in_step && self.flying.is_empty() && self.chance(0.2) {
                (0..self.hosts.len()).for_each(|i| self.tell(i, Happened::Tick, 0.0));
            }
            if all_done && self.flying.is_empty() {
                let all: Vec<_> = (0..self.hosts.len()).map(|i| self.machine(i).known()).collect();
                if all.iter().all(|known| *known == all[0]) {
                    return;
                }
                (0..self.hosts.len()).for_each(|i| self.tell(i, Happened::Tick, 0.0));
            }
            self.step(0.0);
        }
        panic!("it stalls");
    }

    pub(crate) fn machine(&self, i: usize) -> &dyn Machine {
        self.hosts[i].machine.as_deref().unwrap()
    }
}
