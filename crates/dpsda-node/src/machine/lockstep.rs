//! Rounds in step with those one hears: DPSDA-C and DPSDA-PS, which average, and DPSDA-R where a run must repeat the
//! simulator's to the bit.
//!
//! A round ends when everybody who is to be heard in it has been, or when the driver says that it waited long enough: messages
//! are sums of all that was ever put on a link, or the newest copies there are, so what did not come is made up for by what
//! comes later. What the end of a round releases is made durable before the next round begins.

use std::collections::BTreeMap;
use std::sync::Arc;

use dpsda::learner::{Body, Copy, Learner, Message, Sum};
use dpsda::network::Degree;
use dpsda::objective::Objective;
use dpsda::privacy::Released;

use super::{Happened, Machine, Record, Terms, Todo, at, copies};
use crate::entry::{Claim, Entry};
use crate::frame::{Frame, Refusal};

/// How many rounds ahead of this node a peer's messages are kept. On graphs that change, one who hears nobody for a while may
/// be some rounds ahead of those it tells.
const AHEAD: u64 = 64;

/// Where in a round it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Its decision is committed, the cost is to come.
    Decided,
    /// DPSDA-R: what it learned is being stored.
    Storing,
    /// It has spoken and listens.
    Listening,
    /// DPSDA-C and -PS: what it will say next is being stored.
    Closing,
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
    /// By round and sender: what the learner takes, and what is passed on from the next round on.
    heard: BTreeMap<(u64, usize), (Message, Vec<Entry>)>,
    /// What everybody was told last.
    said: BTreeMap<usize, Vec<u8>>,
    /// The newest signed copy of every block, for relays.
    known: Vec<Option<Entry>>,
    /// The rounds that peers say they are in.
    rounds: Vec<u64>,
}

impl Lockstep {
    /// A node at the beginning. None if the learner does not fit the terms.
    pub fn new(terms: Terms, mut learner: Box<dyn Learner>) -> Option<(Self, Vec<Todo>)> {
        let nodes = terms.members.len();
        let dim: usize = terms.shape.blocks.iter().sum();
        let known = copies(&mut *learner, terms.me);
        let fits = nodes == terms.shape.blocks.len() && terms.me < nodes && learner.estimate().len() == dim;
        if !fits || !(known.is_empty() || known.len() == nodes) {
            return None;
        }
        let node = Self {
            relays: !known.is_empty(),
            epoch: 0,
            round: 0,
            phase: Phase::Decided,
            heard: BTreeMap::new(),
            said: BTreeMap::new(),
            known: vec![None; nodes],
            rounds: vec![0; nodes],
            learner,
            terms,
        };
        let decided = node.decided();
        Some((node, vec![decided]))
    }

    fn learn(&mut self, f: &dyn Objective) -> Vec<Todo> {
        if !self.ready() {
            return Vec::new();
        }
        self.learner.learn(self.round, f); // (14)
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

    fn store(&self) -> Vec<Todo> {
        let entry = self.known[self.terms.me].clone().unwrap_or_else(|| self.signature_of_nothing());
        let record =
            self.learner.save().map(|saved| Record { epoch: self.epoch, round: self.round, entry, saved });
        record.map(|record| Todo::Store(Box::new(record))).into_iter().collect()
    }

    /// Those who average release no blocks: their record says that, signed.
    fn signature_of_nothing(&self) -> Entry {
        let me = self.terms.me as u32;
        let claim =
            Claim { owner: me, epoch: self.epoch, version: self.round + 1, sum: Vec::new(), squares: None };
        claim.sign(&self.terms.identity, &self.terms.manifest)
    }

    fn durable(&mut self) -> Vec<Todo> {
        match self.phase {
            Phase::Storing => self.speak(),
            Phase::Closing => self.next(),
            Phase::Decided | Phase::Listening => Vec::new(),
        }
    }

    /// Tells everybody who is to hear it in this round.
    fn speak(&mut self) -> Vec<Todo> {
        let (t, me) = (self.round, self.terms.me);
        let graph = self.terms.topology.graph(t);
        let degrees = graph.degrees();
        let receivers: Vec<Degree> = graph.out(me).iter().map(|to| degrees[*to]).collect();
        self.learner.address(t, &receivers);
        let own = degrees[me];
        let message = self.learner.speak(own);
        self.said.clear();
        for to in graph.out(me) {
            let frame = match &message.body {
                Body::Blocks(_) => Some(Frame::Know {
                    round: t,
                    versions: self.versions(),
                    mark: 0,
                    entries: self.known.iter().flatten().cloned().collect(),
                }),
                Body::Sums { round, sums } => sums.iter().find(|sum| sum.to == *to).and_then(|sum| {
                    let (units, _) = sum.dual.units()?;
                    let degrees = (own.heard as u32, own.told as u32);
                    Some(Frame::Sum { round: *round, degrees, dual: units.to_vec(), weight: sum.weight })
                }),
                Body::Dual { .. } | Body::State { .. } => None, // not for the wire
            };
            if let Some(frame) = frame {
                self.said.insert(*to, frame.bytes());
            }
        }
        self.phase = Phase::Listening;
        let mut todo: Vec<Todo> =
            self.said.iter().map(|(to, bytes)| Todo::Send { to: *to, bytes: bytes.clone() }).collect();
        todo.extend(self.close_if_complete());
        todo
    }

    fn hear(&mut self, from: usize, bytes: &[u8]) -> Vec<Todo> {
        match self.take(from, bytes) {
            Ok(()) => self.close_if_complete(),
            Err(why) => vec![Todo::Refuse { from, why }],
        }
    }

    fn take(&mut self, from: usize, bytes: &[u8]) -> Result<(), Refusal> {
        let frame = self.terms.shape.read(bytes)?;
        let (round, degree, body, entries) = match frame {
            Frame::Know { round, entries, .. } if self.relays => {
                let body = self.verified(&entries)?;
                (round, Degree { node: from, heard: 1, told: 1 }, body, entries)
            }
            Frame::Sum { round, degrees, dual, weight } if !self.relays => {
                let dual = Arc::new(Released::on_grid(dual, self.terms.unit));
                let sums = vec![Sum { to: self.terms.me, dual, weight }];
                let degree = Degree { node: from, heard: degrees.0 as usize, told: degrees.1 as usize };
                (round, degree, Body::Sums { round, sums }, Vec::new())
            }
            _ => return Err(Refusal::WrongKind),
        };
        if round > self.round + AHEAD {
            return Err(Refusal::Future);
        }
        if from >= self.terms.members.len() || from == self.terms.me {
            return Err(Refusal::WrongShape);
        }
        self.rounds[from] = round;
        // An old one may still tell something; it counts for the round that is open.
        let round = round.max(self.round);
        self.heard.entry((round, from)).or_insert((Message { from: degree, body }, entries));
        Ok(())
    }

    /// Blocks as a learner takes them, every one signed by its owner.
    fn verified(&mut self, entries: &[Entry]) -> Result<Body, Refusal> {
        let mut blocks: Vec<Copy> = copies(&mut *self.learner, self.terms.me);
        for entry in entries {
            let owner = entry.claim.owner as usize;
            let key = self.terms.members.get(owner).ok_or(Refusal::WrongShape)?;
            let before = self.known[owner].as_ref() == Some(entry); // verified before
            if !before && !entry.is_by(key, &self.terms.manifest) {
                return Err(Refusal::BadSignature);
            }
            blocks[owner] = entry.copy(self.terms.unit);
        }
        Ok(Body::Blocks(blocks))
    }

    fn close_if_complete(&mut self) -> Vec<Todo> {
        let graph = self.terms.topology.graph(self.round);
        let all = graph.links().filter(|(_, to)| *to == self.terms.me);
        let complete = all.into_iter().all(|(from, _)| self.heard.contains_key(&(self.round, from)));
        if complete && self.phase == Phase::Listening { self.close() } else { Vec::new() }
    }

    /// Takes in what was heard (12) (20) (21) and, where duals are averaged, releases what it will say next.
    fn close(&mut self) -> Vec<Todo> {
        let t = self.round;
        let later = self.heard.split_off(&(t + 1, 0));
        let now = std::mem::replace(&mut self.heard, later);
        let inbox: Vec<&Message> = now.values().map(|(message, _)| message).collect();
        self.learner.listen(t, &inbox);
        for entry in now.into_values().flat_map(|(_, entries)| entries) {
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
            Happened::Connected(peer) => self
                .said
                .get(&peer)
                .map(|bytes| Todo::Send { to: peer, bytes: bytes.clone() })
                .into_iter()
                .collect(),
            Happened::Late | Happened::Skip(_) | Happened::Gone(_) | Happened::Tick => Vec::new(),
        }
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn ready(&self) -> bool {
        self.phase == Phase::Decided
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
        false
    }
}
