//! Messages from peers: signed entries, each kept if it is newer than the known one.

use super::FreeRounds;
use crate::entry::Entry;
use crate::frame::{Frame, Refusal};
use crate::machine::{Todo, at};

impl FreeRounds {
    pub(super) fn hear(&mut self, from: usize, bytes: &[u8]) -> Vec<Todo> {
        let heard = self.terms.grammar.read(bytes).and_then(|frame| match frame {
            Frame::Know { round, versions, mark, entries }
                if from < self.theirs.len() && from != self.terms.me =>
            {
                Ok((round, versions, mark, entries))
            }
            _ => Err(Refusal::WrongKind),
        });
        let (round, versions, mark, entries) = match heard {
            Ok(heard) => heard,
            Err(why) => return vec![Todo::Refuse { from, why }],
        };
        if round > self.terms.horizon {
            return vec![Todo::Refuse { from, why: Refusal::Future }];
        }
        // Blocks that a peer says it has are not sent to it again. A peer that lies misses them.
        self.theirs[from] = versions;
        self.rounds[from] = round;
        let mut todo = Vec::new();
        for entry in entries {
            let owner = entry.content.owner as usize;
            match self.take(entry) {
                Ok(next) => todo.extend(next),
                Err(why) => {
                    todo.push(Todo::Refuse { from, why });
                    if why == Refusal::Equivocation {
                        todo.extend(self.show(owner)); // tells the owner, whichever peer passed it on
                    } else {
                        break; // no honest peer passes this on, and checking the rest costs as much again
                    }
                }
            }
        }
        if self.differs(from, mark) {
            todo.extend(self.show(from));
        }
        if self.storing.is_none() && self.lives.waiting() {
            todo.extend(self.renew());
        }
        todo
    }

    /// Whether a peer's own block differs from the copy known here, although both have the same version. Versions alone do not
    /// show this: neither node would send a block that the other seems to have.
    fn differs(&self, peer: usize, mark: u64) -> bool {
        let held = self.known[peer].as_ref();
        held.is_some_and(|e| at(e) == self.theirs[peer][peer] && e.mark() != mark)
    }

    /// Sends the owner of a block the copy known here. From it, an owner with an old store sees that its store is old.
    fn show(&self, owner: usize) -> Option<Todo> {
        let entry = self.known.get(owner)?.clone()?;
        (owner != self.terms.me).then(|| self.say(owner, vec![entry]))
    }

    /// Takes in one entry that a peer passed on. Returns what follows from it.
    fn take(&mut self, entry: Entry) -> Result<Vec<Todo>, Refusal> {
        let owner = entry.content.owner as usize;
        let key = self.terms.members.get(owner).ok_or(Refusal::WrongShape)?;
        if entry.content.version > self.terms.horizon {
            return Err(Refusal::Future);
        }
        if owner == self.terms.me {
            return self.take_own(entry).map(|next| next.into_iter().collect());
        }
        let newest = self.known[owner].as_ref();
        let have = newest.map_or((0, 0), at);
        if at(&entry) < have || newest == Some(&entry) {
            return Ok(Vec::new()); // known already
        }
        if !entry.is_by(key, &self.terms.manifest) {
            return Err(Refusal::BadSignature);
        }
        if at(&entry) == have && have != (0, 0) {
            return Err(Refusal::Equivocation);
        }
        let mut copy = entry.copy(self.terms.unit);
        // A new epoch of the owner goes on from its last block. Learners compare versions only, so the version must grow.
        copy.version = copy.version.max(self.copies[owner].version + 1);
        self.copies[owner] = copy;
        let epoch = entry.content.epoch;
        match self.known[owner].replace(entry) {
            Some(old) if old.content.epoch < epoch => {
                self.former.keep(old);
                Ok(self.remind(owner))
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Sends the owner of a block its last releases of older epochs that are known here. It may have begun a new one without them.
    /// A frame has at most one entry per owner.
    pub(super) fn remind(&self, owner: usize) -> Vec<Todo> {
        self.former.of(owner).map(|entry| self.say(owner, vec![entry.clone()])).collect()
    }
}
