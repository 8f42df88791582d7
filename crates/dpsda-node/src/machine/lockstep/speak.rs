//! What a node says in step, and what it makes durable before.

use dpsda::learner::{Body, Sum};
use dpsda::network::Degree;

use super::{Lockstep, Phase};
use crate::entry::{Content, Entry};
use crate::frame::Frame;
use crate::machine::{Machine as _, Record, Todo, at, others};

impl Lockstep {
    /// Stores the round in which it will speak next, and all that it needs to speak.
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
            self.lives.make(entry.content.version, entry.digest());
        }
        let mut others = others(&self.known, me);
        others.extend(self.before.clone());
        let record =
            entry.zip(saved).map(|(entry, saved)| Record { epoch: self.epoch, round, entry, others, saved });
        record.map(|record| Todo::Store(Box::new(record))).into_iter().collect()
    }

    /// Nodes that average release no blocks. They sign that they have come to a round, and what names their release. Peers can show
    /// them that later.
    fn token(&self, round: u64) -> Entry {
        let me = self.terms.me as u32;
        let sum = vec![self.learning.fingerprint()];
        let content = Content { owner: me, epoch: self.epoch, version: round, sum, squares: None };
        content.sign(&self.terms.identity, &self.terms.manifest)
    }

    /// Tells all peers that hear it in this round.
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
                    self.said.insert(*to, know.bytes());
                }
            }
            Body::Sums { sums, .. } => {
                if let Some(token) = self.known[me].clone() {
                    self.tell(&token, sums.iter());
                }
            }
            Body::Dual { .. } | Body::State { .. } => {} // not for the wire
        }
        self.phase = Phase::Listening;
        let mut todo: Vec<Todo> = graph.out(me).iter().filter_map(|to| self.again(*to)).collect();
        todo.extend(self.close_if_complete());
        todo
    }

    /// Whether a peer has an entry: it said so, or it was only one version behind when it last spoke and its owner has told it since.
    fn has(&self, to: usize, entry: &Entry) -> bool {
        let owner = entry.content.owner as usize;
        let (epoch, version) = self.theirs[to][owner];
        let told = |t| self.terms.topology.graph(t).out(owner).contains(&to);
        let just = || self.round.checked_sub(1).is_some_and(told);
        (epoch, version) >= at(entry) || (epoch, version.saturating_add(1)) >= at(entry) && just()
    }

    /// Keeps the sums of some links to be said, in the round of this token.
    pub(super) fn tell<'a>(&mut self, token: &Entry, sums: impl Iterator<Item = &'a Sum>) {
        let t = token.content.version;
        let own = self.terms.topology.graph(t).degrees()[self.terms.me];
        let degrees = (own.heard as u32, own.told as u32);
        for sum in sums {
            let Some((units, _)) = sum.dual.units() else { continue };
            let (dual, weight, token) = (units.to_vec(), sum.weight, token.clone());
            self.said.insert(sum.to, Frame::Sum { round: t, degrees, dual, weight, token }.bytes());
        }
    }

    /// What a peer was told last.
    pub(super) fn again(&self, to: usize) -> Option<Todo> {
        let bytes = self.said.get(&to)?;
        Some(Todo::Send { to, bytes: bytes.clone() })
    }

    /// Shows a peer that says less than before the newest entry that it has signed.
    pub(super) fn show(&self, owner: usize) -> Option<Todo> {
        let entry = self.seen.get(owner)?.clone()?;
        let bytes = Frame::Yours(entry).bytes();
        (owner != self.terms.me).then_some(Todo::Send { to: owner, bytes })
    }
}
