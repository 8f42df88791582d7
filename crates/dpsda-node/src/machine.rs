//! What a node does, without doing it: told what happened, it says what to do. DPSDA-R, in which nobody waits for anybody.
//!
//! The order in which a release becomes public is a promise (docs/privacy.md): gradient, clip, noise; then one record of round,
//! entry, state and ledger is made durable; only then does the first byte leave. So the machine says [`Todo::Store`], and what
//! follows from the release it says after [`Happened::Durable`]. After a crash there is either a record, and the same bytes are
//! sent again, or there is none, and nothing left the host.

use std::collections::BTreeMap;
use std::sync::Arc;

use dpsda::learner::{Body, Copy, Learner, Message, Saved};
use dpsda::network::Topology;
use dpsda::objective::Objective;
use dpsda::privacy::Ledger;
use serde::{Deserialize, Serialize};

use crate::entry::{Claim, Digest, Entry};
use crate::frame::{Frame, Refusal, Shape};
use crate::identity::{Identity, PublicKey};

/// What a node is given for good.
pub struct Terms {
    /// Which node it is.
    pub me: usize,
    /// Its key.
    pub identity: Arc<Identity>,
    /// What it runs.
    pub manifest: Digest,
    /// Everybody's key, by node.
    pub members: Vec<PublicKey>,
    /// Who is to hear whom, round by round.
    pub topology: Arc<dyn Topology>,
    /// What honest frames look like.
    pub shape: Shape,
    /// What a unit on the wire stands for.
    pub unit: f64,
    /// Whether a ledger is within the budget.
    pub affords: Box<dyn Fn(&Ledger) -> bool + Send + Sync>,
}

/// What a node makes durable before it says anything of a round: all it needs to go on.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Which life of the node.
    pub epoch: u64,
    /// The round that was learned from.
    pub round: u64,
    /// What is sent.
    pub entry: Entry,
    /// The learner after it.
    pub saved: Saved,
}

/// What happened.
pub enum Happened<'a> {
    /// The cost of the next round was revealed.
    Cost(&'a dyn Objective),
    /// The record that was to be stored is durable.
    Durable,
    /// A peer sent this.
    Heard {
        /// Who, as the connection knows it.
        from: usize,
        /// What.
        bytes: &'a [u8],
    },
    /// A connection to a peer was made: it may lack anything.
    Connected(usize),
    /// Some time has passed: what was lost on the way is told again, also when no costs come.
    Tick,
}

/// What to do.
#[derive(Clone, PartialEq)]
pub enum Todo {
    /// Make this durable, then say so. Until then no further cost is taken.
    Store(Box<Record>),
    /// Send these bytes to a peer. They may be lost.
    Send {
        /// To whom.
        to: usize,
        /// What.
        bytes: Vec<u8>,
    },
    /// The node's block of the decision of a round is committed.
    Decide {
        /// The round.
        round: u64,
        /// The block.
        block: Vec<f64>,
    },
    /// Something was refused.
    Refuse {
        /// From whom.
        from: usize,
        /// Why.
        why: Refusal,
    },
    /// The budget does not allow a release of this round: nothing is released any more.
    Exhausted(u64),
    /// This node's block is known elsewhere in a version that its store does not have: the store is an old one. Nothing may be
    /// released from it.
    Overtaken(Box<Entry>),
}

/// One node.
pub struct Machine {
    terms: Terms,
    learner: Box<dyn Learner>,
    epoch: u64,
    /// The round whose cost comes next.
    round: u64,
    /// The newest signed copy of every block; the own one only when it is durable.
    known: Vec<Option<Entry>>,
    /// The same as the learner takes them.
    copies: Vec<Copy>,
    /// What every peer is known to have of every block: epoch and version.
    theirs: Vec<Vec<(u64, u64)>>,
    /// The record that is being stored.
    storing: Option<Box<Record>>,
    exhausted: bool,
    overtaken: bool,
    ticks: u64,
    refused: BTreeMap<(usize, Refusal), u64>,
}

impl Machine {
    /// A node that has never released anything, with the first decision to commit. None if the learner is not one of DPSDA-R
    /// for this shape.
    pub fn new(terms: Terms, learner: Box<dyn Learner>) -> Option<(Self, Vec<Todo>)> {
        Self::start(terms, learner, None)
    }

    /// A node that goes on from its last record. None if that record is not this node's.
    pub fn resume(terms: Terms, mut learner: Box<dyn Learner>, record: Record) -> Option<(Self, Vec<Todo>)> {
        let owner = record.entry.claim.owner as usize;
        let own = owner == terms.me && record.entry.is_by(&terms.identity.public(), &terms.manifest);
        if !own || !learner.restore(record.saved.clone()) {
            return None;
        }
        Self::start(terms, learner, Some(record))
    }

    fn start(
        terms: Terms,
        mut learner: Box<dyn Learner>,
        record: Option<Record>,
    ) -> Option<(Self, Vec<Todo>)> {
        let nodes = terms.members.len();
        let copies = copies(&mut *learner, terms.me);
        let sizes: Vec<usize> = copies.iter().map(|copy| copy.sum.len()).collect();
        if sizes != terms.shape.blocks || nodes != sizes.len() || terms.me >= nodes {
            return None;
        }
        let mut known = vec![None; nodes];
        let (mut epoch, mut round) = (0, 0);
        if let Some(record) = record {
            (epoch, round) = (record.epoch, record.round + 1);
            known[terms.me] = Some(record.entry);
        }
        let machine = Self {
            epoch,
            round,
            known,
            copies,
            theirs: vec![vec![(0, 0); nodes]; nodes],
            storing: None,
            exhausted: false,
            overtaken: false,
            ticks: 0,
            refused: BTreeMap::new(),
            learner,
            terms,
        };
        let decided = machine.decided();
        Some((machine, vec![decided]))
    }

    /// The round whose cost comes next.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// Whether a cost would be taken now.
    pub fn ready(&self) -> bool {
        self.storing.is_none()
    }

    /// The learner.
    pub fn learner(&self) -> &dyn Learner {
        &*self.learner
    }

    /// The epoch and version of every block that it knows.
    pub fn versions(&self) -> Vec<(u64, u64)> {
        self.known.iter().map(|entry| entry.as_ref().map_or((0, 0), at)).collect()
    }

    /// What was refused, by peer and reason, and how often.
    pub fn refused(&self) -> &BTreeMap<(usize, Refusal), u64> {
        &self.refused
    }

    /// What to do now that this happened.
    pub fn on(&mut self, happened: Happened<'_>) -> Vec<Todo> {
        match happened {
            Happened::Cost(f) => self.learn(f),
            Happened::Durable => self.release(),
            Happened::Heard { from, bytes } => self.hear(from, bytes),
            Happened::Connected(peer) => {
                if let Some(versions) = self.theirs.get_mut(peer) {
                    versions.fill((0, 0));
                }
                self.tell(&[peer])
            }
            Happened::Tick => {
                self.ticks += 1;
                let graph = self.terms.topology.graph(self.round.wrapping_add(self.ticks));
                self.tell(graph.out(self.terms.me))
            }
        }
    }

    /// A cost that comes while a record is being stored is not looked at: whoever asked [`Self::ready`] has none.
    fn learn(&mut self, f: &dyn Objective) -> Vec<Todo> {
        if !self.ready() {
            return Vec::new();
        }
        let t = self.round;
        let affordable = self.learner.foresee(t).is_some_and(|ledger| (self.terms.affords)(&ledger));
        if self.overtaken || !affordable {
            let mut todo = Vec::new();
            if !self.overtaken && !self.exhausted {
                self.exhausted = true;
                todo.push(Todo::Exhausted(t));
            }
            todo.extend(self.tell(self.terms.topology.graph(t).out(self.terms.me))); // it goes on relaying
            todo.extend(self.end_round(t));
            return todo;
        }
        self.learner.learn(t, f); // (14), clipped and noised
        let own = copies(&mut *self.learner, self.terms.me).swap_remove(self.terms.me);
        let claim = Claim::of(self.terms.me as u32, self.epoch, &own);
        let (Some(claim), Some(saved)) = (claim, self.learner.save()) else { return Vec::new() };
        let entry = claim.sign(&self.terms.identity, &self.terms.manifest);
        let record = Box::new(Record { epoch: self.epoch, round: t, entry, saved });
        self.storing = Some(record.clone());
        vec![Todo::Store(record)]
    }

    /// The record is durable: now, and not before, it may be seen.
    fn release(&mut self) -> Vec<Todo> {
        let Some(record) = self.storing.take() else { return Vec::new() };
        let t = record.round;
        self.known[self.terms.me] = Some(record.entry);
        let graph = self.terms.topology.graph(t);
        let mut todo = self.tell(graph.out(self.terms.me));
        todo.extend(self.end_round(t));
        todo
    }

    /// Takes in what is known by now, and commits the next decision (6).
    fn end_round(&mut self, t: u64) -> Vec<Todo> {
        let degree = self.terms.topology.graph(t).degrees()[self.terms.me];
        let heard = Message { from: degree, body: Body::Blocks(self.copies.clone()) };
        self.learner.listen(t, &[&heard]);
        self.round = t + 1;
        vec![self.decided()]
    }

    fn decided(&self) -> Todo {
        let before: usize = self.terms.shape.blocks[..self.terms.me].iter().sum();
        let size = self.terms.shape.blocks[self.terms.me];
        Todo::Decide { round: self.round, block: self.learner.estimate()[before..before + size].to_vec() }
    }

    /// To each of these, the entries that it is not known to have.
    fn tell(&self, peers: &[usize]) -> Vec<Todo> {
        let frame = |peer: &usize| {
            let has = &self.theirs[*peer];
            let lacks = |entry: &&Entry| at(entry) > has[entry.claim.owner as usize];
            let entries = self.known.iter().flatten().filter(lacks).cloned().collect();
            let frame = Frame::Know { round: self.round, versions: self.versions(), entries };
            Todo::Send { to: *peer, bytes: frame.bytes() }
        };
        peers.iter().filter(|peer| **peer != self.terms.me && **peer < self.theirs.len()).map(frame).collect()
    }

    fn hear(&mut self, from: usize, bytes: &[u8]) -> Vec<Todo> {
        let heard = self.terms.shape.read(bytes).and_then(|frame| match frame {
            Frame::Know { versions, entries, .. } if from < self.theirs.len() && from != self.terms.me => {
                Ok((versions, entries))
            }
            _ => Err(Refusal::WrongKind),
        });
        let (versions, entries) = match heard {
            Ok(heard) => heard,
            Err(why) => return vec![self.refuse(from, why)],
        };
        // What it says it has need not be sent again; if it lies, it is the one who goes without.
        self.theirs[from] = versions;
        let mut todo = Vec::new();
        for entry in entries {
            match self.take(entry) {
                Ok(None) => {}
                Ok(Some(news)) => todo.push(news),
                Err(why) => todo.push(self.refuse(from, why)),
            }
        }
        todo
    }

    /// One entry that a peer passed on.
    fn take(&mut self, entry: Entry) -> Result<Option<Todo>, Refusal> {
        let owner = entry.claim.owner as usize;
        let key = self.terms.members.get(owner).ok_or(Refusal::WrongShape)?;
        let mine = owner == self.terms.me;
        let stored = self.storing.as_ref().filter(|_| mine).map(|record| &record.entry);
        let newest = stored.or(self.known[owner].as_ref());
        let have = newest.map_or((0, 0), at);
        if at(&entry) < have || newest == Some(&entry) {
            return Ok(None); // old news
        }
        if !entry.is_by(key, &self.terms.manifest) {
            return Err(Refusal::BadSignature);
        }
        if mine {
            // Signed by this very key, and not by this life of it.
            self.overtaken = true;
            return Ok(Some(Todo::Overtaken(Box::new(entry))));
        }
        if at(&entry) == have && have != (0, 0) {
            return Err(Refusal::Equivocation);
        }
        let mut copy = entry.copy(self.terms.unit);
        // A new life of its owner goes on from what it had; learners only ask what is newer.
        copy.version = copy.version.max(self.copies[owner].version + 1);
        self.copies[owner] = copy;
        self.known[owner] = Some(entry);
        Ok(None)
    }

    fn refuse(&mut self, from: usize, why: Refusal) -> Todo {
        *self.refused.entry((from, why)).or_default() += 1;
        Todo::Refuse { from, why }
    }
}

/// What orders the entries of one owner.
pub(crate) fn at(entry: &Entry) -> (u64, u64) {
    (entry.claim.epoch, entry.claim.version)
}

/// What a learner knows of every block.
pub(crate) fn copies(learner: &mut dyn Learner, me: usize) -> Vec<Copy> {
    let nobody = dpsda::network::Degree { node: me, heard: 1, told: 1 };
    match learner.speak(nobody).body {
        Body::Blocks(copies) => copies,
        _ => Vec::new(), // not DPSDA-R
    }
}
