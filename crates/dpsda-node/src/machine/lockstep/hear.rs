//! What a node hears in step: read, verified, and taken in hand until its round ends.

use std::cmp::Ordering;
use std::sync::Arc;

use dpsda::learner::{Body, Copy, Message, Sum};
use dpsda::network::Degree;
use dpsda::privacy::Released;

use super::hands::Heard;
use super::Lockstep;
use crate::entry::Entry;
use crate::frame::{Frame, Refusal};
use crate::machine::{Machine as _, Todo, at, copies};

impl Lockstep {
    pub(super) fn hear(&mut self, from: usize, bytes: &[u8]) -> Vec<Todo> {
        let pays = || !self.relays && matches!(self.terms.shape.read(bytes), Ok(Frame::Yours(_)));
        if self.stopped() && !pays() {
            return Vec::new();
        }
        let before = self.rounds.get(from).copied();
        match self.take(from, bytes) {
            Ok(None) => {
                let mut todo = Vec::new();
                if self.rounds.get(from).is_some_and(|round| *round < self.round) {
                    todo.extend(self.again(from)); // it may wait for what this node has said long ago
                }
                match before.map(|before| self.rounds[from].cmp(&before)) {
                    Some(Ordering::Less) => todo.extend(self.show(from)),
                    Some(Ordering::Greater) => _ = self.silent.remove(&from),
                    _ => {}
                }
                todo.extend(self.close_if_complete());
                todo
            }
            Ok(Some(entry)) => self.overtaken(entry),
            Err(why) => vec![Todo::Refuse { from, why }],
        }
    }

    /// Takes a message in hand. If it shows that this node's store is an old one: by what.
    fn take(&mut self, from: usize, bytes: &[u8]) -> Result<Option<Entry>, Refusal> {
        let frame = self.terms.shape.read(bytes)?;
        if from >= self.terms.members.len() || from == self.terms.me {
            return Err(Refusal::WrongShape);
        }
        let (round, degree, body, entries) = match frame {
            Frame::Know { round, versions, entries, .. } if self.relays => {
                self.theirs[from] = versions;
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
                let newer = self.is_foreign(&entry);
                if !mine || newer && !entry.is_by(&self.terms.identity.public(), &self.terms.manifest) {
                    return Err(Refusal::BadSignature);
                }
                return Ok(Some(entry).filter(|_| newer));
            }
            _ => return Err(Refusal::WrongKind),
        };
        // One that does not go in step says when it has come to the end.
        let last = self.terms.horizon.saturating_sub(u64::from(!self.relays));
        if round > last {
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
            if owner == self.terms.me && self.is_foreign(entry) {
                return Ok(Err(entry.clone()));
            }
            if let Some(block) = blocks.get_mut(owner) {
                *block = entry.copy(self.terms.unit);
            }
        }
        Ok(Ok(Body::Blocks(blocks)))
    }
}
