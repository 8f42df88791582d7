//! Lock-step rounds: DPSDA-C and DPSDA-PS, which average, and DPSDA-R if a run must repeat the simulator's to the bit.
//!
//! A round ends when all expected peers have been heard, except disconnected ones, or when the driver reports the deadline. A
//! message carries the sum of everything ever put on a link, or the newest blocks. So later messages replace lost ones, and a
//! message of a later round also serves for an earlier round: a node that was away catches up without waiting. A node that
//! restarts first waits a moment for the messages of its own round, which peers repeat. With them it decides what it would have
//! decided without the restart.
//!
//! Everything is durable before it is sent, so after a restart the same bytes are sent again. DPSDA-R stores its block before it
//! sends it. DPSDA-C and DPSDA-PS store at the end of the round before, which releases what they send next.
//!
//! At the limit of its budget a node no longer learns. A node that relays goes on relaying. A node that averages takes no further
//! gradient, but still splits and passes on what it receives: otherwise all nodes would lose the mass that it holds. It adds only
//! noise, which depends on no data and costs no privacy.

mod begin;
mod hands;
mod hear;
mod renew;
mod said;
mod speak;

use std::collections::{BTreeMap, BTreeSet};

use dpsda::learner::{Body, Durable, Message, Replica};
use dpsda::network::Degree;
use dpsda::objective::Objective;

use super::former::FormerReleases;
use super::lives::OtherLives;
use super::{Happened, Learning, Machine, NodeTerms, Style, Todo, at};
use crate::entry::Entry;
use hands::{Hand, HeardMessage};
use said::SentMessages;

/// The phase of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// DPSDA-C and -PS: its first message is being stored.
    Beginning,
    /// Its decision is committed, and it waits for the cost.
    Decided,
    /// DPSDA-R: its new block is being stored.
    Storing,
    /// It has sent its messages and waits for those of its peers.
    Listening,
    /// DPSDA-C and -PS: its next message is being stored.
    Closing,
    /// Its store is an old copy, and the charge for the lost releases is being stored.
    Paying,
    /// It no longer sends anything.
    Stopped,
}

/// A node with lock-step rounds.
pub struct Lockstep {
    terms: NodeTerms,
    learning: Learning,
    epoch: u64,
    round: u64,
    phase: Phase,
    /// The messages received and not yet used, by sender and round.
    heard: Vec<Hand>,
    /// The last messages to each peer.
    said: BTreeMap<usize, SentMessages>,
    /// The newest signed copy of every block, as of the end of the last round. If there are no blocks: the newest token of
    /// every node.
    known: Vec<Option<Entry>>,
    /// The same as of now. A peer that restarts from an old copy of its store is shown its own entry.
    seen: Vec<Option<Entry>>,
    former: FormerReleases,
    /// If there are no blocks: the node's own token before the newest.
    before: Option<Entry>,
    /// The epoch and version of every block that each peer says it has.
    theirs: Vec<Vec<(u64, u64)>>,
    /// The rounds that peers say they are in.
    rounds: Vec<u64>,
    /// The peers that are not connected. Rounds do not wait for them.
    gone: BTreeSet<usize>,
    /// The peers that missed their deadline. They are not waited for again until they advance.
    silent: BTreeSet<usize>,
    /// The peers that were sent a repeated message since the last tick. Two idle nodes must not answer each other without end.
    answered: BTreeSet<usize>,
    exhausted: bool,
    lives: OtherLives,
    /// After a restart: the blocks of others from the record, until the learner has merged them again.
    back: Option<Message>,
    /// After a restart: for so many ticks, only a peer's message of this very round ends the wait for it. Peers repeat it, but a
    /// later one may arrive first.
    patience: u32,
}

/// Ticks that the first round after a restart waits for the messages of that round, where peers have sent later ones.
const PATIENCE: u32 = 10;

impl Lockstep {
    fn learn(&mut self, f: &dyn Objective) -> Vec<Todo> {
        if !self.ready() {
            return Vec::new();
        }
        let t = self.round;
        if !self.terms.allow(&self.learning, t) {
            let first = !std::mem::replace(&mut self.exhausted, true);
            let mut todo: Vec<Todo> = first.then_some(Todo::Exhausted(t)).into_iter().collect();
            todo.extend(self.speak());
            return todo;
        }
        self.learning.learn(t, &self.terms.plan.seal(f)); // (14)
        if !self.relays() {
            return self.speak(); // its message was released and stored at the end of the round before
        }
        self.phase = Phase::Storing;
        self.store()
    }

    /// Whether it relays blocks. Otherwise it averages duals.
    fn relays(&self) -> bool {
        self.terms.style.relays()
    }

    /// The node's own block, if there is one.
    fn own(&mut self) -> Option<Replica> {
        if self.relays() { self.learning.own() } else { None }
    }

    fn durable(&mut self) -> Vec<Todo> {
        if self.lives.waiting() {
            self.round += u64::from(self.phase == Phase::Closing);
            return self.renew(); // the stored message is not sent
        }
        match self.phase {
            Phase::Beginning => {
                self.phase = Phase::Decided;
                Vec::new()
            }
            Phase::Paying if !self.relays() => {
                self.phase = Phase::Stopped;
                Vec::new()
            }
            Phase::Storing | Phase::Paying => self.speak(),
            Phase::Closing => self.next(),
            Phase::Decided | Phase::Listening | Phase::Stopped => Vec::new(),
        }
    }

    /// The peers that this round expects to hear.
    fn expected(&self) -> BTreeSet<usize> {
        let graph = self.terms.topology.graph(self.round);
        graph.links().filter(|(_, to)| *to == self.terms.me).map(|(from, _)| from).collect()
    }

    fn close_if_complete(&mut self) -> Vec<Todo> {
        if self.phase != Phase::Listening {
            return Vec::new();
        }
        if self.missing().all(|from| self.gone.contains(&from) || self.silent.contains(&from)) {
            self.close()
        } else {
            Vec::new()
        }
    }

    /// The expected peers that have not been heard in this round.
    fn missing(&self) -> impl Iterator<Item = usize> {
        let heard = |from: &usize| match self.patience {
            0 => self.heard[*from].has(self.round),
            _ => self.heard[*from].has_exactly(self.round),
        };
        self.expected().into_iter().filter(move |from| !heard(from))
    }

    /// Merges the messages of the round (12) (20) (21). If duals are averaged, releases the next message.
    fn close(&mut self) -> Vec<Todo> {
        let (t, expected) = (self.round, self.expected());
        self.patience = 0;
        let hands = self.heard.iter().enumerate();
        let now: Vec<HeardMessage> =
            hands.filter_map(|(from, hand)| hand.of(t, expected.contains(&from))).cloned().collect();
        self.heard.iter_mut().for_each(|hand| hand.drop_until(t));
        let back = self.back.take();
        let inbox: Vec<&Message> = back.iter().chain(now.iter().map(|heard| &heard.message)).collect();
        self.learning.listen(t, &inbox);
        for entry in now.into_iter().flat_map(|heard| heard.entries) {
            let owner = entry.content.owner as usize;
            let newer = self.known[owner].as_ref().is_none_or(|known| at(known) < at(&entry));
            if newer && owner != self.terms.me {
                self.known[owner] = Some(entry);
            }
        }
        if self.relays() {
            return self.next();
        }
        self.phase = Phase::Closing;
        self.store()
    }

    /// All known blocks, as a message to the learner.
    fn blocks(&mut self) -> Message {
        let mut blocks = self.learning.copies();
        for entry in super::others(&self.known, self.terms.me) {
            blocks[entry.content.owner as usize] = entry.copy(self.terms.unit);
        }
        let from = Degree { node: self.terms.me, heard: 1, told: 1 };
        Message { from, body: Body::Blocks(blocks) }
    }

    fn next(&mut self) -> Vec<Todo> {
        self.round += 1;
        self.phase = Phase::Decided;
        vec![self.decided()]
    }

    fn decided(&self) -> Todo {
        self.terms.decided(self.round, &self.learning)
    }
}

impl Machine for Lockstep {
    fn on(&mut self, happened: Happened<'_>) -> Vec<Todo> {
        match happened {
            Happened::Cost(f) => self.learn(f),
            Happened::Durable => self.durable(),
            Happened::Heard { from, bytes } => self.hear(from, bytes),
            Happened::Late if self.waits() => {
                self.patience = 0;
                let missing: Vec<usize> = self.missing().collect();
                self.silent.extend(missing);
                self.close()
            }
            Happened::Connected(peer) => {
                self.gone.remove(&peer);
                self.silent.remove(&peer);
                if let Some(versions) = self.theirs.get_mut(peer) {
                    versions.fill((0, 0));
                }
                self.catch_up(peer).into_iter().chain(self.show(peer)).chain(self.remind(peer)).collect()
            }
            Happened::Gone(peer) => {
                self.gone.insert(peer);
                self.close_if_complete()
            }
            // A peer in a later round does not wait for this node. A peer in the same or an earlier round may, also one that
            // this node does not hear.
            Happened::Tick => {
                self.answered.clear();
                let behind = |to: &&usize| self.rounds.get(**to).is_some_and(|round| *round <= self.round);
                let mut todo: Vec<Todo> =
                    self.said.keys().filter(behind).filter_map(|to| self.again(*to)).collect();
                todo.extend(self.former.due().into_iter().flat_map(|owner| self.remind(owner)));
                self.patience = self.patience.saturating_sub(1);
                todo.extend(self.close_if_complete());
                todo
            }
            // Lock-step has no rounds without a cost: the driver gives them a cost of zero.
            Happened::Late | Happened::Skip(_) => Vec::new(),
        }
    }

    fn style(&self) -> Style {
        self.terms.style
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
        let pays = self.phase == Phase::Paying || self.lives.waiting();
        self.phase == Phase::Stopped || pays && !self.relays()
    }
}
