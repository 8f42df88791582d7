//! DPSDA-R: every block has one writer, so nothing is averaged; nodes pass on the newest copy of every block.

use std::sync::Arc;

use super::{
    Algorithm, AutoSteps, Body, Build, Durable, Facts, HeardBlock, Learner, Message, Probe, Replica, Saved,
    Setup, Standing,
};
use crate::catalog::Listing;
use crate::network::Degree;
use crate::privacy::{Guard, Ledger, Released, Sealed};

/// DPSDA-R: relay.
///
/// ```
/// use dpsda::learner::{Algorithm, Relay};
/// assert_eq!(Algorithm::from(Relay).name(), "dpsda-r");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Relay;

const FACTS: Facts = Facts::relay().with_coordinate_steps().with_auto_steps();

impl From<Relay> for Algorithm {
    fn from(Relay: Relay) -> Self {
        Self::durable(LISTING.name, FACTS, RelayNode::new).known()
    }
}

/// `dpsda-r`
pub const LISTING: Listing<Build> = Listing {
    name: "dpsda-r",
    about: "DPSDA-R, relay: gradients are noised once at birth, and nodes pass on the newest copy of every block",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(Relay.into()) },
};

/// A node that relays. Loss, repetition and reordering cost it staleness and nothing else.
struct RelayNode {
    setup: Setup,
    guard: Guard,
    ledger: Ledger,
    /// `S[k]` and its version, for every block; the own one is exact.
    known: Vec<Replica>,
    y: Vec<f64>,
    auto: Option<AutoSteps>,
}

impl RelayNode {
    /// Nothing known, `y_i(0) = Pi(0, 1)`.
    fn new(setup: Setup) -> Self {
        let auto = setup.auto_steps(false);
        let squares = |len| match auto {
            Some(_) => Some(1), // one for the whole block
            None => setup.steps_differ().then_some(len),
        };
        let copy = |len| Replica {
            version: 0,
            sum: Arc::new(setup.plan.zeros(len)),
            squares: squares(len).map(|count| Arc::new(Released::zeros(count))),
        };
        Self {
            guard: setup.guard(),
            ledger: setup.plan.ledger(),
            known: setup.blocks.sizes().into_iter().map(copy).collect(),
            y: setup.start(),
            auto,
            setup,
        }
    }

    /// The sums of all blocks, one after the other.
    fn sums(&self) -> Vec<f64> {
        self.known.iter().map(|copy| copy.sum.to_reals()).collect::<Vec<_>>().concat()
    }
}

impl Learner for RelayNode {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        let me = self.setup.node;
        let gradient = self.setup.observe(&self.guard, me, t, cost, &self.y); // (14)
        let v = self.guard.release(gradient, t, &mut self.ledger);
        let own = &mut self.known[me];
        Arc::make_mut(&mut own.sum).add_block(0..v.len(), &v);
        match (&mut own.squares, &self.auto) {
            (Some(energy), Some(auto)) => auto.basis().add_square(me, Arc::make_mut(energy), &v),
            (Some(squares), None) => Arc::make_mut(squares).add_squares(0..v.len(), &v),
            (None, _) => {}
        }
        own.version = t + 1;
    }

    fn speak(&mut self, _t: u64, me: Degree, _receivers: &[Degree]) -> Message {
        Message { from: me, body: Body::Blocks(self.known.clone()) }
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        let me = self.setup.node;
        for message in inbox {
            let Body::Blocks(copies) = &message.body else { continue };
            for (k, (mine, theirs)) in self.known.iter_mut().zip(copies).enumerate() {
                // Only this node writes its own block. Other nodes may be rounds ahead where nobody waits.
                let possible = k != me && theirs.like(mine);
                if possible && theirs.version > mine.version {
                    mine.clone_from(theirs);
                }
            }
        }
        if let Some(auto) = &mut self.auto {
            let mut dual = Vec::with_capacity(self.y.len());
            let heard = |(k, copy): (usize, &Replica)| {
                let mut sum = copy.sum.to_reals();
                dual.extend_from_slice(&sum);
                let energy = copy.squares.as_ref().map_or(0.0, |energy| energy.to_reals().iter().sum());
                HeardBlock { version: copy.version, energy, length: auto.basis().square(k, &mut sum) }
            };
            let heard: Vec<HeardBlock> = self.known.iter().enumerate().map(heard).collect();
            auto.decide(t + 1, &heard, &mut dual, &mut self.y);
            return;
        }
        let dual = self.sums();
        let squares: Option<Vec<Vec<f64>>> =
            self.known.iter().map(|copy| copy.squares.as_ref().map(|q| q.to_reals())).collect();
        self.setup.decide(t, &dual, squares.map(|q| q.concat()).as_deref(), &mut self.y); // (6)
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

impl Probe for RelayNode {
    fn dual(&self) -> Option<(Vec<f64>, f64)> {
        Some((self.sums(), 1.0))
    }

    fn staleness(&self, t: u64) -> Option<u64> {
        self.known.iter().map(|copy| t.saturating_sub(copy.version)).max()
    }
}

impl Durable for RelayNode {
    fn foresee(&self, t: u64) -> Ledger {
        self.guard.foresee(t, &self.ledger)
    }

    fn save(&self) -> Option<Saved> {
        let (past, secret) = self.guard.keep();
        let (own, estimate) = (self.known[self.setup.node].clone(), self.y.clone());
        let standing = match &self.auto {
            Some(auto) => Standing::RelayAuto { own, estimate, steps: auto.state() },
            None => Standing::Relay { own, estimate },
        };
        Some(Saved { ledger: self.ledger.clone(), past, standing, secret })
    }

    fn restore(&mut self, saved: Saved) -> bool {
        let (own, estimate, steps) = match saved.standing {
            Standing::Relay { own, estimate } => (own, estimate, None),
            Standing::RelayAuto { own, estimate, steps } => (own, estimate, Some(steps)),
            Standing::Gossip { .. } => return false,
        };
        let mine = &self.known[self.setup.node];
        let alike = steps.is_some() == self.auto.is_some();
        let fits = alike && own.like(mine) && estimate.len() == self.y.len();
        if !(fits && self.guard.resume(saved.past, saved.secret)) {
            return false;
        }
        self.ledger = saved.ledger;
        self.known[self.setup.node] = own;
        self.y = estimate;
        if let (Some(auto), Some(steps)) = (&mut self.auto, steps) {
            auto.restore(steps, self.known[self.setup.node].version);
        }
        true
    }

    fn begun(&self) -> u64 {
        self.guard.begun()
    }

    fn renew(&mut self, own: Option<Replica>, next: u64, lives: u64) -> bool {
        let Some(own) = own else { return false };
        let mine = &mut self.known[self.setup.node];
        let renewed = own.like(mine) && self.guard.renew(next, lives, &mut self.ledger);
        if renewed {
            *mine = own; // signed by this very node: public, whichever life made it
        }
        renewed
    }
}
