//! DPSDA-R with free rounds: rounds advance with the data, and no node waits for another.
//!
//! A round's record includes all messages that arrived before the node learned from the round's cost. Messages that arrive
//! while the record is being stored count for the next round. So the record holds exactly the decision that is published after
//! it, and a node that restarts from the record commits the same bits again.

mod hear;
mod renew;

use dpsda::learner::{Body, Durable, Message, Replica};
use dpsda::objective::Objective;

use super::former::FormerReleases;
use super::lives::OtherLives;
use super::{Happened, Learning, Machine, NodeTerms, Record, Style, Todo, at, others};
use crate::entry::{Content, Digest, Entry};
use crate::frame::Frame;

/// After this many ticks a node forgets which blocks its peers have, and sends all again. A peer's last message may have been
/// delayed and may describe its state before a restart. On a one-way link the peer cannot correct it.
const DOUBT: u64 = 32;

/// A node with free rounds.
pub struct FreeRounds {
    terms: NodeTerms,
    learning: Learning,
    epoch: u64,
    /// The round whose cost comes next.
    round: u64,
    /// The newest signed copy of every block. The node's own block is included only when it is durable.
    known: Vec<Option<Entry>>,
    former: FormerReleases,
    /// The same blocks as the learner takes them.
    copies: Vec<Replica>,
    /// The epoch and version of every block that each peer is known to have.
    theirs: Vec<Vec<(u64, u64)>>,
    /// The record that is being stored.
    storing: Option<Box<Record>>,
    lives: OtherLives,
    exhausted: bool,
    /// Halted: another life was heard of, and no new epoch could begin. Nothing is released.
    stopped: bool,
    ticks: u64,
    /// The rounds that peers say they are in.
    rounds: Vec<u64>,
}

impl FreeRounds {
    /// A node that has never released anything, with its first decision to commit. None if the learner does not relay blocks of
    /// this shape.
    pub fn new(terms: NodeTerms, learner: Box<dyn Durable>) -> Option<(Self, Vec<Todo>)> {
        let learning = Learning::new(learner, terms.me);
        Self::start(terms, learning, None)
    }

    /// A node that goes on from its last record. `made` lists the releases of that epoch by round, from the store. None if the
    /// record is not this node's.
    pub fn resume(
        terms: NodeTerms,
        learner: Box<dyn Durable>,
        record: Record,
        made: Vec<(u64, Digest)>,
    ) -> Option<(Self, Vec<Todo>)> {
        let owner = record.entry.content.owner as usize;
        let own = owner == terms.me && record.entry.is_by(&terms.identity.public(), &terms.manifest);
        let mut learning = Learning::new(learner, terms.me);
        if !own || !learning.restore(record.saved.clone()) {
            return None;
        }
        let (mut machine, todo) = Self::start(terms, learning, Some(record))?;
        let epoch = machine.epoch;
        made.into_iter().for_each(|(round, digest)| machine.lives.make(epoch, round + 1, digest));
        Some((machine, todo))
    }

    fn start(terms: NodeTerms, mut learning: Learning, record: Option<Record>) -> Option<(Self, Vec<Todo>)> {
        let nodes = terms.members.len();
        let mut copies = learning.copies();
        let sizes: Vec<usize> = copies.iter().map(|copy| copy.sum.len()).collect();
        if !terms.style.relays() || sizes != terms.grammar.blocks || nodes != sizes.len() || terms.me >= nodes
        {
            return None;
        }
        let (mut known, mut former) = (vec![None; nodes], FormerReleases::default());
        let (mut epoch, mut round) = (0, 0);
        if let Some(record) = record {
            (epoch, round) = (record.epoch, record.round + 1);
            (known, former) = terms.known(record.entry, record.others);
            for entry in others(&known, terms.me) {
                copies[entry.content.owner as usize] = entry.copy(terms.unit);
            }
        }
        let mut machine = Self {
            epoch,
            round,
            known,
            former,
            copies,
            theirs: vec![vec![(0, 0); nodes]; nodes],
            storing: None,
            lives: OtherLives::default(),
            exhausted: false,
            stopped: false,
            ticks: 0,
            rounds: vec![0; nodes],
            learning,
            terms,
        };
        if let Some(entry) = &machine.known[machine.terms.me] {
            machine.lives.make(entry.content.epoch, entry.content.version, entry.digest());
        }
        let mut todo = vec![machine.decided()];
        let (t, horizon) = (machine.round, machine.terms.horizon);
        if (1..horizon).contains(&t) && !machine.terms.allow(&machine.learning, t) {
            machine.exhausted = true;
            todo.push(Todo::Exhausted(t));
        }
        Some((machine, todo))
    }

    /// Learns from a cost. A cost that comes while a record is being stored is ignored: a driver that asks [`Self::ready`]
    /// never sends one.
    fn learn(&mut self, f: &dyn Objective) -> Vec<Todo> {
        if !self.ready() {
            return Vec::new();
        }
        let t = self.round;
        if self.stopped || !self.terms.allow(&self.learning, t) {
            let mut todo = Vec::new();
            if !self.stopped && !self.exhausted {
                self.exhausted = true;
                todo.push(Todo::Exhausted(t));
            }
            todo.extend(self.tell(self.terms.topology.graph(t).out(self.terms.me))); // the node goes on relaying
            self.listen(t);
            self.round = t + 1;
            todo.push(self.decided());
            return todo;
        }
        self.learning.learn(t, &self.terms.plan.seal(f)); // (14)
        self.listen(t); // y(t+1) is stored, so the decision is the same after a crash
        self.store(self.epoch, t)
    }

    /// Stores the node's own block, signed, with all it needs to go on after round `t`.
    fn store(&mut self, epoch: u64, t: u64) -> Vec<Todo> {
        let content = self.learning.own().and_then(|own| Content::of(self.terms.me as u32, epoch, &own));
        let (Some(content), Some(saved)) = (content, self.learning.save()) else {
            return Vec::new();
        };
        let entry = content.sign(&self.terms.identity, &self.terms.manifest);
        self.lives.make(epoch, entry.content.version, entry.digest());
        let others = self.former.all().chain(others(&self.known, self.terms.me)).collect();
        let record = Box::new(Record { epoch, round: t, entry, others, saved });
        self.storing = Some(record.clone());
        vec![Todo::Store(record)]
    }

    /// The record is durable: only now may its entry be sent.
    fn release(&mut self) -> Vec<Todo> {
        let Some(record) = self.storing.take() else { return Vec::new() };
        let t = record.round;
        let renewed = record.epoch > self.epoch;
        self.round = t + 1;
        self.epoch = record.epoch;
        if self.lives.waiting() {
            let mut todo = self.renew(); // the entry is not sent: another life has sent one with that version
            if self.stopped {
                todo.push(self.decided());
            }
            return todo;
        }
        self.known[self.terms.me] = Some(record.entry);
        let all: Vec<usize> = (0..self.known.len()).collect();
        let graph = self.terms.topology.graph(t);
        let mut todo = self.tell(if renewed { &all } else { graph.out(self.terms.me) });
        todo.push(self.decided());
        todo
    }

    /// Merges all known blocks and makes the next decision (6).
    fn listen(&mut self, t: u64) {
        let degree = self.terms.topology.graph(t).degrees()[self.terms.me];
        let heard = Message { from: degree, body: Body::Blocks(self.copies.clone()) };
        self.learning.listen(t, &[&heard]);
    }

    fn decided(&self) -> Todo {
        self.terms.decided(self.round, &self.learning)
    }

    /// Sends to each of these peers the entries that it is not known to have.
    fn tell(&self, peers: &[usize]) -> Vec<Todo> {
        let frame = |peer: &usize| {
            let has = &self.theirs[*peer];
            let lacks = |entry: &&Entry| at(entry) > has[entry.content.owner as usize];
            let entries = self.known.iter().flatten().filter(lacks).cloned().collect();
            self.say(*peer, entries)
        };
        peers.iter().filter(|peer| **peer != self.terms.me && **peer < self.theirs.len()).map(frame).collect()
    }

    fn say(&self, to: usize, entries: Vec<Entry>) -> Todo {
        let own = self.known[self.terms.me].as_ref();
        let mark = own.map_or(0, Entry::mark);
        let frame = Frame::Know { round: self.round, versions: self.versions(), mark, entries };
        Todo::Send { to, bytes: frame.bytes() }
    }
}

impl Machine for FreeRounds {
    fn on(&mut self, happened: Happened<'_>) -> Vec<Todo> {
        match happened {
            Happened::Cost(f) => self.learn(f),
            Happened::Durable => self.release(),
            Happened::Heard { from, bytes } => self.hear(from, bytes),
            Happened::Skip(t) if self.ready() && t > self.round => {
                self.round = t.min(self.terms.horizon);
                vec![self.decided()]
            }
            Happened::Connected(peer) => {
                if let Some(versions) = self.theirs.get_mut(peer) {
                    versions.fill((0, 0));
                }
                self.tell(&[peer]).into_iter().chain(self.remind(peer)).collect()
            }
            Happened::Tick => {
                self.ticks += 1;
                let graph = self.terms.topology.graph(self.round.wrapping_add(self.ticks));
                let peers = graph.out(self.terms.me);
                if self.ticks.is_multiple_of(DOUBT) {
                    peers.iter().for_each(|peer| self.theirs[*peer].fill((0, 0)));
                }
                let mut todo = self.tell(peers);
                todo.extend(self.former.due().into_iter().flat_map(|owner| self.remind(owner)));
                todo
            }
            Happened::Skip(_) | Happened::Gone(_) | Happened::Late => Vec::new(),
        }
    }

    fn style(&self) -> Style {
        self.terms.style
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn ready(&self) -> bool {
        self.storing.is_none() && self.round < self.terms.horizon
    }

    fn waits(&self) -> bool {
        false
    }

    /// Uses blocks too: many nodes are known only by their blocks, which others pass on.
    fn reached(&self) -> u64 {
        let blocks = self.known.iter().map(|entry| entry.as_ref().map_or(0, |entry| entry.content.version));
        let rounds: Vec<u64> = self.rounds.iter().zip(blocks).map(|(said, block)| block.max(*said)).collect();
        super::half_of(&rounds, self.terms.me)
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn learner(&self) -> &dyn Durable {
        self.learning.learner()
    }

    fn known(&self) -> &[Option<Entry>] {
        &self.known
    }

    fn exhausted(&self) -> bool {
        self.exhausted
    }

    fn stopped(&self) -> bool {
        self.stopped
    }

    fn forgets(&self) -> bool {
        let me = self.terms.me;
        let own = self.known[me].as_ref().map_or((0, 0), at);
        self.theirs.iter().enumerate().any(|(peer, versions)| peer != me && versions[me] > own)
    }
}
