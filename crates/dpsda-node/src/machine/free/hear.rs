//! What peers pass on: entries that their owners have signed, each kept if it is newer than what is known.

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
        // What a peer says it has need not be sent again. A peer that lies goes without.
        self.theirs[from] = versions;
        self.rounds[from] = round;
        let mut todo = Vec::new();
        for entry in entries {
            let owner = entry.content.owner as usize;
            match self.take(entry) {
                Ok(None) => {}
                Ok(Some(news)) => todo.push(news),
                Err(why) => {
                    todo.push(Todo::Refuse { from, why });
                    if why == Refusal::Equivocation {
                        todo.extend(self.show(owner)); // its owner should know, whichever peer passed it on
                    } else {
                        break; // no honest peer passes that on, and the rest would cost as much to look at
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

    /// Whether a peer has made another release of its block's version that is known here. Versions alone do not tell: neither would
    /// send what the other seems to have.
    fn differs(&self, peer: usize, mark: u64) -> bool {
        let held = self.known[peer].as_ref();
        held.is_some_and(|e| at(e) == self.theirs[peer][peer] && e.mark() != mark)
    }

    /// Shows the owner of a block what is known of it here. An owner with an old store sees that it is one.
    fn show(&self, owner: usize) -> Option<Todo> {
        let entry = self.known.get(owner)?.clone()?;
        (owner != self.terms.me).then(|| self.say(owner, vec![entry]))
    }

    /// One entry that a peer passed on.
    fn take(&mut self, entry: Entry) -> Result<Option<Todo>, Refusal> {
        let owner = entry.content.owner as usize;
        let key = self.terms.members.get(owner).ok_or(Refusal::WrongShape)?;
        if entry.content.version > self.terms.horizon {
            return Err(Refusal::Future);
        }
        if owner == self.terms.me {
            return self.take_own(entry);
        }
        let newest = self.known[owner].as_ref();
        let have = newest.map_or((0, 0), at);
        if at(&entry) < have || newest == Some(&entry) {
            return Ok(None); // old news
        }
        if !entry.is_by(key, &self.terms.manifest) {
            return Err(Refusal::BadSignature);
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
}
