//! The learner of a node. Machines call learners only through this type.

use dpsda::learner::{Body, Durable, Message, Replica, Saved};
use dpsda::network::Degree;
use dpsda::privacy::{Ledger, Sealed};
use sha2::{Digest as _, Sha256};

/// The learner of node `me`.
pub(super) struct Learning {
    learner: Box<dyn Durable>,
    me: usize,
}

impl Learning {
    pub(super) fn new(learner: Box<dyn Durable>, me: usize) -> Self {
        Self { learner, me }
    }

    /// The learner, read-only.
    pub(super) fn learner(&self) -> &dyn Durable {
        &*self.learner
    }

    pub(super) fn estimate(&self) -> &[f64] {
        self.learner.estimate()
    }

    /// Takes in the cost of round `t`: clipped, noised and charged (14).
    pub(super) fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        self.learner.learn(t, cost);
    }

    /// Its message in round `t` to these receivers.
    pub(super) fn speak(&mut self, t: u64, me: Degree, receivers: &[Degree]) -> Body {
        self.learner.speak(t, me, receivers).body
    }

    /// Ends round `t` with what it heard.
    pub(super) fn listen(&mut self, t: u64, inbox: &[&Message]) {
        self.learner.listen(t, inbox);
    }

    /// Its copy of every block. Empty if duals are averaged.
    pub(super) fn copies(&mut self) -> Vec<Replica> {
        let alone = Degree { node: self.me, heard: 1, told: 1 };
        match self.learner.speak(0, alone, &[]).body {
            Body::Blocks(copies) => copies,
            _ => Vec::new(),
        }
    }

    /// Its own block, if blocks are relayed.
    pub(super) fn own(&mut self) -> Option<Replica> {
        let mut copies = self.copies();
        (self.me < copies.len()).then(|| copies.swap_remove(self.me))
    }

    /// A fingerprint of the releases in its dual. The hashed values are already noised, so the privacy claim covers the
    /// fingerprint.
    pub(super) fn fingerprint(&self) -> i64 {
        let Some((dual, _)) = self.learner.dual() else { return 0 };
        let mut hash = Sha256::new();
        dual.iter().for_each(|x| hash.update(x.to_le_bytes()));
        let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(hash.finalize());
        i64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    /// The ledger after learning from round `t`.
    pub(super) fn foresee(&self, t: u64) -> Ledger {
        self.learner.foresee(t)
    }

    pub(super) fn save(&self) -> Option<Saved> {
        self.learner.save()
    }

    #[must_use]
    pub(super) fn restore(&mut self, saved: Saved) -> bool {
        self.learner.restore(saved)
    }

    /// The first round of its epoch. All rounds before it are paid for.
    pub(super) fn begun(&self) -> u64 {
        self.learner.begun()
    }

    /// Pays for other lives, and begins a new epoch at round `next`. See [`Durable::renew`].
    #[must_use]
    pub(super) fn renew(&mut self, own: Option<Replica>, next: u64, lives: u64) -> bool {
        self.learner.renew(own, next, lives)
    }
}
