//! Rounds in step with those one hears: DPSDA-C and DPSDA-PS, which average, and DPSDA-R where a run must repeat the
//! simulator's to the bit.
//!
//! A round ends when everybody who is to be heard in it and is not gone has been, or when the driver says that it waited long
//! enough. Messages are sums of all that was ever put on a link, or the newest copies there are, so what did not come is made up
//! for by what comes later, and a message of a later round stands for that of an earlier one: whoever was away catches up without
//! waiting. What is said was made durable before, so after a restart the same bytes are said again: DPSDA-R stores its block before
//! it speaks of it, the others at the end of the round before, which releases what they say next.
//!
//! At the limit of its budget a node learns nothing any more. One that relays goes on relaying. One that averages takes no further
//! gradient; it still splits and passes on what it is sent, for otherwise the mass that it holds would be lost to all. What it adds
//! is noise alone, a function of no data, which costs nothing.

mod hands;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dpsda::learner::{Body, Copy, Learner, Life, Message, Sum};
use dpsda::network::Degree;
use dpsda::objective::Objective;
use dpsda::privacy::Released;

use super::{Happened, Machine, Record, Terms, Todo, at, copies};
use crate::entry::{Claim, Entry};
use crate::frame::{Frame, Refusal};
use hands::{Hand, Heard};

/// Where in a round it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// DPSDA-C and -PS: what it will say first is being stored.
    Beginning,
    /// Its decision is committed, the cost is to come.
    Decided,
    /// DPSDA-R: what it learned is being stored.
    Storing,
    /// It has spoken and listens.
    Listening,
    /// DPSDA-C and -PS: what it will say next is being stored.
    Closing,
    /// Its store is an old one: it says nothing any more.
    Stopped,
}

/// One node.
pub struct Lockstep {
    terms: Terms,
    learner: Box<dyn Learner>,
    /// Whether it relays blocks, or averages duals.
    relays: bool,
    epoch: u64,
    round: u64,
    phase: Phase,
    /// By sender: what is in hand of it, by round.
    heard: Vec<Hand>,
    /// What everybody was told last.
    said: BTreeMap<usize, Vec<u8>>,
    /// The newest signed copy of every block, or where there are none the newest token of every node.
    known: Vec<Option<Entry>>,
    /// The rounds that peers say they are in.
    rounds: Vec<u64>,
    /// Who is not waited for.
    gone: BTreeSet<usize>,
    exhausted: bool,
}

impl Lockstep {
    /// A node at the beginning. None if the learner does not fit the terms.
    pub fn new(terms: Terms, learner: Box<dyn Learner>) -> Option<(Self, Vec<Todo>)> {
        let mut node = Self::start(terms, learner)?;
        let mut todo = vec![node.decided()];
        if !node.relays {
            node.phase = Phase::Beginning; // what it says first is noise, and must be the same after a crash
            todo.extend(node.store());
        }
        Some((node, todo))
    }

    /// A node that goes on from its last record: in that round, with the same bytes to say. None if the record is not this node's.
    pub fn resume(terms: Terms, mut learner: Box<dyn Learner>, record: Record) -> Option<(Self, Vec<Todo>)> {
        let Record { epoch, round, entry, saved } = record;
        let own = entry.claim.owner as usize == terms.me
            && entry.is_by(&terms.identity.public(), &terms.manifest)
            && round <= terms.horizon;
        let books = match &saved.life {
            Life::Gossip { books, .. } => books.clone(),
            Life::Relay { .. } => None,
        };
        if !own || !learner.restore(saved) {
            return None;
        }
        let mut node = Self::start(terms, learner)?;
        (node.epoch, node.round) = (epoch, round);
        node.known[node.terms.me] = Some(entry);
        let mut todo = vec![node.decided()];
        if node.relays {
            todo.extend(node.speak());
            return Some((node, todo));
        }
        // Whoever still waits for the round before is told what it was told then, or all that was put on its link since.
        let books = books?;
        if let Some(last) = round.checked_sub(1) {
            node.tell(last, books.sent.iter());
        }
        for (from, round, ..) in books.heard {
            node.rounds.get_mut(from).map(|known| *known = round).unwrap_or_default();
        }
        Some((node, todo))
    }

    fn start(terms: Terms, mut learner: Box<dyn Learner>) -> Option<Self> {
        let nodes = terms.members.len();
        let dim: usize = terms.shape.blocks.iter().sum();
        let known = copies(&mut *learner, terms.me);
        let fits = nodes == terms.shape.blocks.len() && terms.me < nodes && learner.estimate().len() == dim;
        if !fits || !(known.is_empty() || known.len() == nodes) {
            return None;
        }
        Some(Self {
            relays: !known.is_empty(),
            epoch: 0,
            round: 0,
            phase: Phase::Decided,
            heard: vec![Hand::default(); nodes],
            said: BTreeMap::new(),
            known: vec![None; nodes],
            rounds: vec![0; nodes],
            gone: BTreeSet::new(),
            exhausted: false,
            learner,
            terms,
        })
    }

    fn learn(&mut self, f: &dyn Objective) -> Vec<Todo> {
        if !self.ready() {
            return Vec::new();
        }
        let t = self.round;
        let affordable = self.learner.foresee(t).is_some_and(|ledger| (self.terms.affords)(&ledger));
        if !affordable {
            let first = !std::mem::replace(&mut self.exhausted, true);
            let mut todo: Vec<Todo> = first.then_some(Todo::Exhausted(t)).into_iter().collect();
            todo.extend(self.speak());
            return todo;
        }
        self.learner.learn(t, f); // (14)
        if !self.relays {
            return self.speak(); // what it says was released and stored at the end of the round before
        }
        let own = copies(&mut *self.learner, self.terms.me).swap_remove(self.terms.me);
        let Some(claim) = Claim::of(self.terms.me as u32, self.epoch, &own) else { return Vec::new() };
        let entry = claim.sign(&self.terms.identity, &self.terms.manifest);
        self.known[self.terms.me] = Some(entry);
        self.phase = Phase::Storing;
        self.store()
    }

    /// The round in which what is stored will be said, and all that is needed to say it.
    fn store(&mut self) -> Vec<Todo> {
        let round = if self.phase == Phase::Closing { self.round + 1 } else { self.round };
        if !self.relays {
            self.known[self.terms.me] = Some(self.token(round));
        }
        let (entry, saved) = (self.known[self.terms.me].clone(), self.learner.save());
        let record = entry.zip(saved).map(|(entry, saved)| Record { epoch: self.epoch, round, entry, saved });
        record.map(|record| Todo::Store(Box::new(record))).into_iter().collect()
    }

    /// Those who average release no blocks. That they have come to a round they sign, and whoever heard it can show them.
    fn token(&self, round: u64) -> Entry {
        let me = self.terms.me as u32;
        let claim = Claim { owner: me, epoch: self.epoch, version: round, sum: Vec::new(), squares: None };
        claim.sign(&self.terms.identity, &self.terms.manifest)
    }

    fn durable(&mut self) -> Vec<Todo> {
        match self.phase {
            Phase::Beginning => {
                self.phase = Phase::Decided;
                Vec::new()
            }
            Phase::Storing => self.speak(),
            Phase::Closing => self.next(),
            Phase::Decided | Phase::Listening | Phase::Stopped => Vec::new(),
        }
    }

    /// Tells everybody who is to hear it in this round.
    fn speak(&mut self) -> Vec<Todo> {
        let (t, me) = (self.round, self.terms.me);
        let graph = self.terms.topology.graph(t);
        let degrees = graph.degrees();
        let receivers: Vec<Degree> = graph.out(me).iter().map(|to| degrees[*to]).collect();
        self.learner.address(t, &receivers);
        match self.learner.speak(degrees[me]).body {
            Body::Blocks(_) => {
                let entries = self.known.iter().flatten().cloned().collect();
                let know = Frame::Know { round: t, versions: self.versions(), mark: 0, entries }.bytes();
                self.said.extend(graph.out(me).iter().map(|to| (*to, know.clone())));
            }
            Body::Sums { sums, .. } => self.tell(t, sums.iter()),
            Body::Dual { .. } | Body::State { .. } => {} // not for the wire
        }
        self.phase = Phase::Listening;
        let mut todo: Vec<Todo> = graph.out(me).iter().filter_map(|to| self.again(*to)).collect();
        todo.extend(self.close_if_complete());
        todo
    }

    /// Has the sums of some links to say in round `t`.
    fn tell<'a>(&mut self, t: u64, sums: impl Iterator<Item = &'a Sum>) {
        let own = self.terms.topology.graph(t).degrees()[self.terms.me];
        let degrees = (own.heard as u32, own.told as u32);
        let stored = self.known[self.terms.me].clone().filter(|token| token.claim.version == t);
        let token = stored.unwrap_or_else(|| self.token(t));
        for sum in sums {
            let Some((units, _)) = sum.dual.units() else { continue };
            let (dual, weight, token) = (units.to_vec(), sum.weight, token.clone());
            self.said.insert(sum.to, Frame::Sum { round: t, degrees, dual, weight, token }.bytes());
        }
    }

    /// What a peer was told last.
    fn again(&self, to: usize) -> Option<Todo> {
        let bytes = self.said.get(&to).filter(|_| self.phase != Phase::Stopped)?;
        Some(Todo::Send { to, bytes: bytes.clone() })
    }

    fn hear(&mut self, from: usize, bytes: &[u8]) -> Vec<Todo> {
        if self.phase == Phase::Stopped {
            return Vec::new();
        }
        let before = self.rounds.get(from).copied();
        match self.take(from, bytes) {
            Ok(None) => {
                let mut todo = Vec::new();
                if self.rounds.get(from).is_some_and(|round| *round < self.round) {
                    todo.extend(self.again(from)); // it may wait for what this node has said long ago
                }
                if before.is_some_and(|before| self.rounds[from] < before) {
                    todo.extend(self.show(from));
                }
                todo.extend(self.close_if_complete());
                todo
            }
            Ok(Some(entry)) => {
                self.phase = Phase::Stopped;
                vec![Todo::Overtaken(Box::new(entry))]
            }
            Err(why) => vec![Todo::Refuse { from, why }],
        }
    }

    /// To one who says less than it said before, the newest that it has signed.
    fn show(&self, owner: usize) -> Option<Todo> {
        let entry = self.known.get(owner)?.clone()?;
        let bytes = Frame::Yours(entry).bytes();
        (owner != self.terms.me && !self.relays).then_some(Todo::Send { to: owner, bytes })
    }

    /// Takes a message in hand. If it shows that this node's store is an old one: by what.
    fn take(&mut self, from: usize, bytes: &[u8]) -> Result<Option<Entry>, Refusal> {
        let frame = self.terms.shape.read(bytes)?;
        if from >= self.terms.members.len() || from == self.terms.me {
            return Err(Refusal::WrongShape);
        }
        let (round, degree, body, entries) = match frame {
            Frame::Know { round, entries, .. } if self.relays => {
                let body = match self.verified(&entries)? {
                    Ok(body) => body,
                    Err(overtaken) => return Ok(Some(overtaken)),
                };
                (round, Degree { node: from, heard: 1, told: 1 }, body, entries)
            }
            Frame::Sum { round, degrees, dual, weight, token } if !self.relays => {
                self.note(from, round, token)?;
                let dual = Arc::new(Released::on_grid(dual, self.terms.unit));
                let sums = vec![Sum { to: self.terms.me, dual, weight }];
                let degree = Degree { node: from, heard: degrees.0 as usize, told: degrees.1 as usize };
                (round, degree, Body::Sums { round, sums }, Vec::new())
            }
            Frame::Yours(entry) if !self.relays => {
                let mine = entry.claim.owner as usize == self.terms.me;
                let newer = (entry.claim.epoch, entry.claim.version) > (self.epoch, self.round);
                if !mine || newer && !entry.is_by(&self.terms.identity.public(), &self.terms.manifest) {
                    return Err(Refusal::BadSignature);
                }
                return Ok(Some(entry).filter(|_| newer));
            }
            _ => return Err(Refusal::WrongKind),
        };
        if round >= self.terms.horizon {
            return Err(Refusal::Future);
        }
        self.rounds[from] = round;
        self.heard[from].take(round, Heard { message: Message { from: degree, body }, entries });
        Ok(None)
    }

    /// The token of a message, for the day its sender comes back with an old store.
    fn note(&mut self, from: usize, round: u64, token: Entry) -> Result<(), Refusal> {
        let known = self.known[from].as_ref();
        if known.is_some_and(|known| at(known) >= at(&token)) {
            return Ok(());
        }
        let own = token.claim.owner as usize == from && token.claim.version == round;
        if !own || !token.is_by(&self.terms.members[from], &self.terms.manifest) {
            return Err(Refusal::BadSignature);
        }
        self.known[from] = Some(token);
        Ok(())
    }

    /// Blocks as a learner takes them, every one signed by its owner; or an own one that this node's store does not have.
    fn verified(&mut self, entries: &[Entry]) -> Result<Result<Body, Entry>, Refusal> {
        let mut blocks: Vec<Copy> = copies(&mut *self.learner, self.terms.me);
        for entry in entries {
            let owner = entry.claim.owner as usize;
            let key = self.terms.members.get(owner).ok_or(Refusal::WrongShape)?;
            let before = self.known[owner].as_ref() == Some(entry); // verified before
            if !before && !entry.is_by(key, &self.terms.manifest) {
                return Err(Refusal::BadSignature);
            }
            let newest = self.known[owner].as_ref().map_or((0, 0), at);
            if owner == self.terms.me && !before && at(entry) >= newest {
                return Ok(Err(entry.clone()));
            }
            if let Some(block) = blocks.get_mut(owner) {
                *block = entry.copy(self.terms.unit);
            }
        }
        Ok(Ok(Body::Blocks(blocks)))
    }

    /// Who is to be heard in this round.
    fn expected(&self) -> BTreeSet<usize> {
        let graph = self.terms.topology.graph(self.round);
        graph.links().filter(|(_, to)| *to == self.terms.me).map(|(from, _)| from).collect()
    }

    fn close_if_complete(&mut self) -> Vec<Todo> {
        if self.phase != Phase::Listening {
            return Vec::new();
        }
        let there = |from: &usize| self.gone.contains(from) || self.heard[*from].has(self.round);
        if self.expected().iter().all(there) { self.close() } else { Vec::new() }
    }

    /// Takes in what was heard (12) (20) (21) and, where duals are averaged, releases what it will say next.
    fn close(&mut self) -> Vec<Todo> {
        let (t, expected) = (self.round, self.expected());
        let hands = self.heard.iter().enumerate();
        let now: Vec<Heard> =
            hands.filter_map(|(from, hand)| hand.of(t, expected.contains(&from))).cloned().collect();
        self.heard.iter_mut().for_each(|hand| hand.drop_until(t));
        let inbox: Vec<&Message> = now.iter().map(|heard| &heard.message).collect();
        self.learner.listen(t, &inbox);
        for entry in now.into_iter().flat_map(|heard| heard.entries) {
            let owner = entry.claim.owner as usize;
            let newer = self.known[owner].as_ref().is_none_or(|known| at(known) < at(&entry));
            if newer && owner != self.terms.me {
                self.known[owner] = Some(entry);
            }
        }
        if self.relays {
            return self.next();
        }
        self.phase = Phase::Closing;
        self.store()
    }

    fn next(&mut self) -> Vec<Todo> {
        self.round += 1;
        self.phase = Phase::Decided;
        vec![self.decided()]
    }

    fn decided(&self) -> Todo {
        let before: usize = self.terms.shape.blocks[..self.terms.me].iter().sum();
        let size = self.terms.shape.blocks[self.terms.me];
        Todo::Decide { round: self.round, block: self.learner.estimate()[before..before + size].to_vec() }
    }
}

impl Machine for Lockstep {
    fn on(&mut self, happened: Happened<'_>) -> Vec<Todo> {
        match happened {
            Happened::Cost(f) => self.learn(f),
            Happened::Durable => self.durable(),
            Happened::Heard { from, bytes } => self.hear(from, bytes),
            Happened::Late if self.waits() => self.close(),
            Happened::Connected(peer) => {
                self.gone.remove(&peer);
                self.again(peer).into_iter().chain(self.show(peer)).collect()
            }
            Happened::Gone(peer) => {
                self.gone.insert(peer);
                self.close_if_complete()
            }
            // Who has come further does not wait for it. One that this node does not hear may wait although this node does not.
            Happened::Tick => {
                let behind = |to: &&usize| self.rounds.get(**to).is_some_and(|round| *round <= self.round);
                self.said.keys().filter(behind).filter_map(|to| self.again(*to)).collect()
            }
            // In step there are no rounds without a cost: the driver gives them one of zero.
            Happened::Late | Happened::Skip(_) => Vec::new(),
        }
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn ready(&self) -> bool {
        self.phase == Phase::Decided && self.round < self.terms.horizon
    }

    fn waits(&self) -> bool {
        self.phase == Phase::Listening
    }

    fn reached(&self) -> u64 {
        super::half_of(&self.rounds, self.terms.me)
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }

    fn learner(&self) -> &dyn Learner {
        &*self.learner
    }

    fn known(&self) -> &[Option<Entry>] {
        &self.known
    }

    fn exhausted(&self) -> bool {
        self.exhausted
    }
}
