//! The messages of a node in lock-step, and the record that is durable before they are sent.

use dpsda::learner::{Body, Sum};
use dpsda::network::Degree;

use super::{Lockstep, Phase};
use crate::entry::{Content, Entry};
use crate::frame::Frame;
use crate::machine::{Machine as _, Record, Todo, at, others};

impl Lockstep {
    /// Stores the round in which it will send next, and all it needs for that.
    pub(super) fn store(&mut self) -> Vec<Todo> {
        let round = if self.phase == Phase::Closing { self.round + 1 } else { self.round };
        let me = self.terms.me;
        self.known[me] = match self.own() {
            Some(own) => Content::of(me as u32, self.epoch, &own)
                .map(|content| content.sign(&self.terms.identity, &self.terms.manifest)),
            None => {
                self.before = self.known[me].take();
                Some(self.token(round))
            }
        };
        let (entry, saved) = (self.known[me].clone(), self.learning.save());
        if let Some(entry) = &entry {
            self.lives.make(entry.content.epoch, entry.content.version, entry.digest());
        }
        let mut others: Vec<Entry> = self.former.all().chain(others(&self.known, me)).collect();
        others.extend(self.before.clone());
        let record =
            entry.zip(saved).map(|(entry, saved)| Record { epoch: self.epoch, round, entry, others, saved });
        record.map(|record| Todo::Store(Box::new(record))).into_iter().collect()
    }

    /// Nodes that average release no blocks. Instead they sign that they have reached a round, with a fingerprint of their
    /// release. Peers can show them this token later.
    fn token(&self, round: u64) -> Entry {
        let me = self.terms.me as u32;
        let sum = vec![self.learning.fingerprint()];
        let content = Content { owner: me, epoch: self.epoch, version: round, sum, squares: None };
        content.sign(&self.terms.identity, &self.terms.manifest)
    }

    /// Sends to all peers that hear this node in this round.
    pub(super) fn speak(&mut self) -> Vec<Todo> {
        let (t, me) = (self.round, self.terms.me);
        let graph = self.terms.topology.graph(t);
        let degrees = graph.degrees();
        let receivers: Vec<Degree> = graph.out(me).iter().map(|to| degrees[*to]).collect();
        match self.learning.speak(t, degrees[me], &receivers) {
            Body::Blocks(_) => {
                let mark = self.known[me].as_ref().map_or(0, Entry::mark);
                for to in graph.out(me) {
                    let lacks = |entry: &&Entry| !self.has(*to, entry);
                    let entries = self.known.iter().flatten().filter(lacks).cloned().collect();
                    let know = Frame::Know { round: t, versions: self.versions(), mark, entries };
                    self.said.entry(*to).or_default().add(t, know.bytes());
                }
            }
            Body::Sums { sums, .. } => {
                if let Some(token) = self.known[me].clone() {
                    self.tell(&token, sums.iter());
                }
            }
            Body::Dual { .. } | Body::State { .. } => {} // never sent over a network
        }
        self.phase = Phase::Listening;
        let mut todo: Vec<Todo> = graph.out(me).iter().filter_map(|to| self.again(*to)).collect();
        todo.extend(self.close_if_complete());
        todo
    }

    /// Whether a peer has an entry. Either it said so, or it was one version behind in its message of an earlier round and has
    /// since heard from the owner. (In its message of this round, it cannot yet have this round's block of this node.)
    fn has(&self, to: usize, entry: &Entry) -> bool {
        let owner = entry.content.owner as usize;
        let (epoch, version) = self.theirs[to][owner];
        let told = |t| self.terms.topology.graph(t).out(owner).contains(&to);
        let earlier = self.rounds.get(to).is_some_and(|round| *round < self.round);
        let just = || earlier && self.round.checked_sub(1).is_some_and(told);
        (epoch, version) >= at(entry) || (epoch, version.saturating_add(1)) >= at(entry) && just()
    }

    /// Prepares the messages with the sums of these links, for the round of this token.
    pub(super) fn tell<'a>(&mut self, token: &Entry, sums: impl Iterator<Item = &'a Sum>) {
        let t = token.content.version;
        let own = self.terms.topology.graph(t).degrees()[self.terms.me];
        let degrees = (own.heard as u32, own.told as u32);
        for sum in sums {
            let Some((units, _)) = sum.dual.units() else { continue };
            let (dual, weight, token) = (units.to_vec(), sum.weight, token.clone());
            let bytes = Frame::Sum { round: t, degrees, dual, weight, token }.bytes();
            self.said.entry(sum.to).or_default().add(t, bytes);
        }
    }

    /// Repeats the last message to a peer.
    pub(super) fn again(&self, to: usize) -> Option<Todo> {
        let bytes = self.said.get(&to)?.newest()?;
        Some(Todo::Send { to, bytes: bytes.clone() })
    }

    /// Repeats all that a peer may need that was away, or that is behind.
    pub(super) fn catch_up(&self, to: usize) -> Vec<Todo> {
        let round = self.rounds.get(to).copied().unwrap_or(0);
        let said = self.said.get(&to).into_iter().flat_map(|said| said.since(round));
        said.map(|bytes| Todo::Send { to, bytes: bytes.clone() }).collect()
    }

    /// Sends a peer its own newest signed entry, because the peer seems to have lost it.
    pub(super) fn show(&self, owner: usize) -> Option<Todo> {
        let entry = self.seen.get(owner)?.clone()?;
        let bytes = Frame::Yours(entry).bytes();
        (owner != self.terms.me).then_some(Todo::Send { to: owner, bytes })
    }

    /// Sends a peer its last releases of older epochs that are known here. It may have begun a new one without them.
    pub(super) fn remind(&self, owner: usize) -> Vec<Todo> {
        let yours = |entry: &Entry| Todo::Send { to: owner, bytes: Frame::Yours(entry.clone()).bytes() };
        self.former.of(owner).map(yours).collect()
    }
}
