//! DPCDA (section 3.1): one learner that sees everything, the floor for every decentralised curve.

use super::{Algorithm, Body, Learner, Message, Network, Setup};
use crate::catalog::Entry;
use crate::network::Degree;
use crate::objective::Objective;
use crate::privacy::{Guard, Ledger, Released, Sensitive};

/// `dpcda`
pub const ENTRY: Entry<Algorithm> = Entry {
    name: "dpcda",
    about: "DPCDA, centralised dual averaging: one learner that sees everything, the floor to compare with",
    keys: &[],
    build: Algorithm {
        network: Network::None,
        mixes: None,
        averages: false,
        build: |setup| Box::new(Central::new(setup)),
    },
};

/// The centralised learner. It clips and noises block by block, with the streams of the nodes, so that it differs from
/// DPSDA-R only in what it knows.
pub struct Central {
    setup: Setup,
    guards: Vec<Guard>,
    ledger: Ledger,
    dual: Released,
    y: Vec<f64>,
}

impl Central {
    /// `z(0) = 0`, `y(0) = Pi(0, 1)`.
    pub fn new(setup: Setup) -> Self {
        Self {
            guards: (0..setup.blocks.nodes()).map(|i| setup.plan.guard(i, setup.seed)).collect(),
            ledger: Ledger::default(),
            dual: Released::zeros(setup.blocks.dim()),
            y: setup.start(),
            setup,
        }
    }
}

impl Learner for Central {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, t: u64, f: &dyn Objective) {
        let blocks = &self.setup.blocks;
        let errors: Vec<f64> =
            (0..blocks.nodes()).flat_map(|i| self.setup.error(i, t, blocks.range(i).len())).collect();
        let gradient = Sensitive::gradient(f, &self.y, 0..blocks.dim(), &errors);
        for (guard, block) in self.guards.iter_mut().zip(blocks.iter()) {
            let bounded = guard.bound(gradient.part(block.clone()));
            let v = guard.release(bounded, Some(t), t, &mut self.ledger);
            self.dual.add_block(block, &v); // z += eta + g
        }
    }

    fn speak(&mut self, degree: Degree) -> Message {
        Message { from: degree, body: Body::Blocks(Vec::new()) }
    }

    fn listen(&mut self, t: u64, _inbox: &[&Message]) {
        self.setup.set.prox(self.dual.as_slice(), self.setup.step.after(t), &mut self.y); // (6)
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}
