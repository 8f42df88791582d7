//! Messages from peers in lock-step: read, verified, and kept until their round ends.

use std::cmp::Ordering;
use std::iter;
use std::sync::Arc;

use dpsda::learner::{Body, Message, Replica, Sum};
use dpsda::network::Degree;
use dpsda::privacy::{Released, Verified};

use super::Lockstep;
use super::hands::HeardMessage;
use crate::entry::Entry;
use crate::frame::{Frame, Refusal};
use crate::machine::{Machine as _, Todo, at};

/// The result of taking in a message.
enum Took {
    /// It is kept.
    InHand,
    /// It is kept, and the entry of the node with this number differs from the one known here, or begins a new epoch.
    Differs(usize),
    /// This node's own store is an old copy: it does not have this entry.
    Overtaken(Entry),
}

impl Lockstep {
    pub(super) fn hear(&mut self, from: usize, bytes: &[u8]) -> Vec<Todo> {
        let pays = || matches!(self.terms.grammar.read(bytes), Ok(Frame::Yours(_)));
        if self.stopped() && (self.relays() || !pays()) {
            return Vec::new();
        }
        let before = self.rounds.get(from).copied();
        match self.take(from, bytes) {
            Ok(took @ (Took::InHand | Took::Differs(_))) => {
                let mut todo = Vec::new();
                if self.rounds.get(from).is_some_and(|round| *round < self.round)
                    && self.answered.insert(from)
                {
                    todo.extend(self.catch_up(from)); // it may wait for an earlier message of this node
                }
                let moved = before.map_or(Ordering::Equal, |before| self.rounds[from].cmp(&before));
                if moved == Ordering::Greater {
                    self.silent.remove(&from);
                }
                if moved == Ordering::Less {
                    todo.extend(self.show(from));
                }
                if let Took::Differs(owner) = took {
                    todo.extend(self.show(owner).into_iter().chain(self.remind(owner)));
                }
                todo.extend(self.close_if_complete());
                todo
            }
            Ok(Took::Overtaken(entry)) => self.overtaken(entry),
            Err(why) => {
                let shown = if why == Refusal::Equivocation { self.show(from) } else { None };
                iter::once(Todo::Refuse { from, why }).chain(shown).collect()
            }
        }
    }

    /// Checks a message and keeps it for its round.
    fn take(&mut self, from: usize, bytes: &[u8]) -> Result<Took, Refusal> {
        let frame = self.terms.grammar.read(bytes)?;
        if from >= self.terms.members.len() || from == self.terms.me {
            return Err(Refusal::WrongShape);
        }
        let mut differs = None;
        let (round, degree, body, entries) = match frame {
            Frame::Know { round, versions, mark, entries } if self.relays() => {
                let held = self.seen[from].as_ref();
                differs = held.filter(|e| at(e) == versions[from] && e.mark() != mark).map(|_| from);
                self.theirs[from] = versions;
                let body = match self.verified(&entries)? {
                    Ok(body) => body,
                    Err(overtaken) => return Ok(Took::Overtaken(overtaken)),
                };
                let renewed = entries.iter().find(|entry| self.is_new_epoch(entry));
                let renewed = renewed.map(|entry| entry.content.owner as usize);
                differs = entries.iter().filter_map(|entry| self.see(entry)).last().or(differs).or(renewed);
                (round, Degree { node: from, heard: 1, told: 1 }, body, entries)
            }
            Frame::Sum { round, degrees, dual, weight, token } if !self.relays() => {
                self.note(from, round, token)?;
                let dual = Arc::new(Released::from_wire(&FromPeer(dual), self.terms.unit));
                let sums = vec![Sum { to: self.terms.me, dual, weight }];
                let degree = Degree { node: from, heard: degrees.0 as usize, told: degrees.1 as usize };
                (round, degree, Body::Sums { round, sums }, Vec::new())
            }
            Frame::Yours(entry) => {
                let mine = entry.content.owner as usize == self.terms.me;
                let newer = self.lives.is_foreign(&entry, self.epoch, self.learning.begun());
                if !mine || newer && !entry.is_by(&self.terms.identity.public(), &self.terms.manifest) {
                    return Err(Refusal::BadSignature);
                }
                return Ok(if newer { Took::Overtaken(entry) } else { Took::InHand });
            }
            _ => return Err(Refusal::WrongKind),
        };
        // A peer with free rounds reports round T when it has finished.
        let last = self.terms.horizon.saturating_sub(u64::from(!self.relays()));
        if round > last {
            return Err(Refusal::Future);
        }
        self.rounds[from] = round;
        self.heard[from].take(round, HeardMessage { message: Message { from: degree, body }, entries });
        Ok(differs.map_or(Took::InHand, Took::Differs))
    }

    /// Keeps the newest entry of each owner, in case the owner restarts from an old copy of its store. Returns the owner if
    /// this entry differs from a kept one of the same version.
    fn see(&mut self, entry: &Entry) -> Option<usize> {
        let owner = entry.content.owner as usize;
        let seen = self.seen.get_mut(owner)?;
        let differs = seen.as_ref().is_some_and(|seen| at(seen) == at(entry) && seen != entry);
        if seen.as_ref().is_none_or(|seen| at(seen) < at(entry)) {
            let old = seen.replace(entry.clone());
            let former = old.filter(|old| old.content.epoch < entry.content.epoch && owner != self.terms.me);
            former.into_iter().for_each(|old| self.former.keep(old));
        }
        differs.then_some(owner)
    }

    /// Whether an entry begins a newer epoch of another node than the one seen.
    fn is_new_epoch(&self, entry: &Entry) -> bool {
        let owner = entry.content.owner as usize;
        let seen = self.seen.get(owner).and_then(Option::as_ref);
        owner != self.terms.me && seen.is_some_and(|seen| seen.content.epoch < entry.content.epoch)
    }

    /// Checks and keeps the token of a message.
    fn note(&mut self, from: usize, round: u64, token: Entry) -> Result<(), Refusal> {
        let known = self.known[from].as_ref();
        if known.is_some_and(|known| at(known) > at(&token) || *known == token) {
            return Ok(());
        }
        let own = token.content.owner as usize == from && token.content.version == round;
        if !own || !token.is_by(&self.terms.members[from], &self.terms.manifest) {
            return Err(Refusal::BadSignature);
        }
        if self.see(&token).is_some() {
            return Err(Refusal::Equivocation);
        }
        self.known[from] = Some(token);
        Ok(())
    }

    /// The blocks for the learner, each with a valid signature of its owner. The inner error is an entry of this node that is
    /// not in its store.
    fn verified(&mut self, entries: &[Entry]) -> Result<Result<Body, Entry>, Refusal> {
        let mut blocks: Vec<Replica> = self.learning.copies();
        for entry in entries {
            let owner = entry.content.owner as usize;
            let key = self.terms.members.get(owner).ok_or(Refusal::WrongShape)?;
            let before = self.known[owner].as_ref() == Some(entry); // verified before
            if !before && !entry.is_by(key, &self.terms.manifest) {
                return Err(Refusal::BadSignature);
            }
            if owner == self.terms.me && self.lives.is_foreign(entry, self.epoch, self.learning.begun()) {
                return Ok(Err(entry.clone()));
            }
            if let Some(block) = blocks.get_mut(owner) {
                *block = entry.copy(self.terms.unit);
            }
        }
        Ok(Ok(Body::Blocks(blocks)))
    }
}

/// Values that a peer sent over its own authenticated connection.
struct FromPeer(Vec<i64>);

impl Verified for FromPeer {
    fn units(&self) -> &[i64] {
        &self.0
    }
}
