//! DPCDA (section 3.1): one learner that sees everything, the floor for every decentralised curve.

use super::{Algorithm, Body, Costs, Graphs, Learner, Message, Noises, Setup};
use crate::catalog::Listing;
use crate::network::Degree;
use crate::objective::Objective;
use crate::privacy::{Guard, Ledger, Released};

/// `dpcda`
pub const LISTING: Listing<Algorithm> = Listing {
    name: "dpcda",
    about: "DPCDA, centralised dual averaging: one learner that sees everything, the floor to compare with",
    keys: &[],
    build: Algorithm {
        network: Graphs::None,
        mixes: None,
        averages: false,
        coordinate_steps: true,
        costs: Costs::Shared,
        noises: Noises::Gradients,
        keeps_to_set: true,
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
    /// The sums of squares of all that was released, where steps follow from them.
    squares: Option<Released>,
    y: Vec<f64>,
}

impl Central {
    /// `z(0) = 0`, `y(0) = Pi(0, 1)`.
    pub fn new(setup: Setup) -> Self {
        Self {
            guards: (0..setup.blocks.nodes()).map(|i| setup.plan.guard(i, setup.seed)).collect(),
            ledger: setup.plan.ledger(),
            dual: setup.plan.zeros(setup.blocks.dim()),
            squares: setup.steps_differ().then(|| Released::zeros(setup.blocks.dim())),
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
        for (i, guard) in self.guards.iter_mut().enumerate() {
            let gradient = self.setup.observe(guard, i, t, f, &self.y); // (14)
            let v = guard.release(gradient, t, &mut self.ledger);
            self.dual.add_block(self.setup.blocks.range(i), &v); // z += eta + g
            if let Some(squares) = &mut self.squares {
                squares.add_squares(self.setup.blocks.range(i), &v);
            }
        }
    }

    fn speak(&mut self, degree: Degree) -> Message {
        Message { from: degree, body: Body::Blocks(Vec::new()) }
    }

    fn listen(&mut self, t: u64, _inbox: &[&Message]) {
        let squares = self.squares.as_ref().map(Released::to_reals);
        self.setup.decide(t, &self.dual.to_reals(), squares.as_deref(), &mut self.y); // (6)
    }

    fn dual(&self) -> Option<(Vec<f64>, f64)> {
        Some((self.dual.to_reals(), 1.0))
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}
