//! DPCDA (section 3.1): one learner that sees everything, the reference for every decentralised curve.

use super::{Algorithm, AutoSteps, Body, Build, Facts, HeardBlock, Learner, Message, Probe, Setup};
use crate::catalog::Listing;
use crate::network::Degree;
use crate::privacy::plan::Adjacency;
use crate::privacy::{Guard, Ledger, Released, Sealed};

/// DPCDA: one learner that sees everything.
///
/// ```
/// use dpsda::learner::{Algorithm, Central};
/// assert_eq!(Algorithm::from(Central).name(), "dpcda");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Central;

const FACTS: Facts = Facts::central().with_coordinate_steps().with_auto_steps();

impl From<Central> for Algorithm {
    fn from(Central: Central) -> Self {
        Self::new(LISTING.name, FACTS, CentralNode::new)
    }
}

/// `dpcda`
pub const LISTING: Listing<Build> = Listing {
    name: "dpcda",
    about: "DPCDA, centralised dual averaging: one learner that sees everything, the reference to compare with",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(Central.into()) },
};

/// The centralised learner. It clips and noises block by block, with the streams of the nodes, so that it differs from
/// DPSDA-R only in what it knows.
struct CentralNode {
    setup: Setup,
    guards: Vec<Guard>,
    ledger: Ledger,
    /// One per block where an event moves the release of one block only; otherwise none.
    ledgers: Vec<Ledger>,
    dual: Released,
    /// The sums of squares of all released values, where steps depend on them.
    squares: Option<Released>,
    y: Vec<f64>,
    /// Steps from all coordinates as one block, and the energy of what was released.
    auto: Option<(AutoSteps, Released)>,
    /// How many rounds the dual has taken in.
    version: u64,
}

impl CentralNode {
    /// `z(0) = 0`, `y(0) = Pi(0, 1)`.
    fn new(setup: Setup) -> Self {
        Self {
            guards: (0..setup.blocks.nodes()).map(|i| setup.guard_of(i)).collect(),
            ledger: setup.plan.ledger(),
            ledgers: match setup.plan.adjacency() {
                Adjacency::Agent => vec![setup.plan.ledger(); setup.blocks.nodes()],
                Adjacency::Round | Adjacency::Example => Vec::new(),
            },
            dual: setup.plan.zeros(setup.blocks.dim()),
            squares: setup.steps_differ().then(|| Released::zeros(setup.blocks.dim())),
            y: setup.start(),
            auto: setup.auto_steps(true).map(|steps| (steps, Released::zeros(1))),
            version: 0,
            setup,
        }
    }
}

impl Learner for CentralNode {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        let known = cost.known(self.setup.plan(), &self.y); // predictions once for all blocks
        let cost = &cost.in_place(known.as_ref());
        let mut all = self.auto.as_ref().map(|_| self.setup.plan.zeros(self.y.len()));
        for (i, guard) in self.guards.iter_mut().enumerate() {
            let gradient = self.setup.observe(guard, i, t, cost, &self.y); // (14)
            let ledger = self.ledgers.get_mut(i).unwrap_or(&mut self.ledger);
            let v = guard.release(gradient, t, ledger);
            self.dual.add_block(self.setup.blocks.range(i), &v); // z += eta + g
            if let Some(squares) = &mut self.squares {
                squares.add_squares(self.setup.blocks.range(i), &v);
            }
            if let Some(all) = &mut all {
                all.add_block(self.setup.blocks.range(i), &v);
            }
        }
        if let (Some((auto, energy)), Some(all)) = (&mut self.auto, &all) {
            auto.basis().add_square(0, energy, all);
        }
        self.version = t + 1;
        if !self.ledgers.is_empty() {
            self.ledger = Ledger::largest(&self.ledgers);
        }
    }

    fn speak(&mut self, _t: u64, me: Degree, _receivers: &[Degree]) -> Message {
        Message { from: me, body: Body::Blocks(Vec::new()) }
    }

    fn listen(&mut self, t: u64, _inbox: &[&Message]) {
        if let Some((auto, energy)) = &mut self.auto {
            let mut dual = self.dual.to_reals();
            let length = auto.basis().square(0, &mut dual.clone());
            let energy = energy.to_reals().iter().sum();
            auto.decide(
                t + 1,
                &[HeardBlock { version: self.version, energy, length }],
                &mut dual,
                &mut self.y,
            );
            return;
        }
        let squares = self.squares.as_ref().map(Released::to_reals);
        self.setup.decide(t, &self.dual.to_reals(), squares.as_deref(), &mut self.y); // (6)
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

impl Probe for CentralNode {
    fn dual(&self) -> Option<(Vec<f64>, f64)> {
        Some((self.dual.to_reals(), 1.0))
    }
}
