//! DODA, distributed online dual averaging (Hosseini, Chapman and Mesbahi 2016): undirected, constrained, no noise.
//!
//! | in round t | |
//! |---|---|
//! | commit | `x_i(t)`; `x_i(0) = Pi(0, 1)` |
//! | learn | `g_i` of `f_{i,t}` at `x_i(t)` |
//! | send | `z_i(t)`, which does not hold `g_i` yet; `z_i(0) = 0` |
//! | mix | `z_i(t+1) = sum_j W_ij z_j(t) + g_i`, `x_i(t+1) = Pi(z_i(t+1), alpha(t))` |

use super::model::Model;
use super::{Algorithm, Costs, Graphs, Learner, Message, Mixes, Noises, Setup};
use crate::catalog::Listing;
use crate::network::Degree;
use crate::objective::Objective;
use crate::privacy::Ledger;

/// `doda`
pub const LISTING: Listing<Algorithm> = Listing {
    name: "doda",
    about: "baseline, own samples a node: dual averaging over undirected links, no noise (Hosseini 2016)",
    keys: &[],
    build: Algorithm {
        network: Graphs::Undirected,
        mixes: Some(Mixes::Both("metropolis")),
        averages: false,
        coordinate_steps: false,
        costs: Costs::Split,
        noises: Noises::Nothing,
        keeps_to_set: true,
        build: |setup| Box::new(DualAverager::new(setup)),
    },
};

/// A node that averages duals: DODA; with noise on the duals and push-sum weights, DPPS.
pub struct DualAverager {
    model: Model,
    z: Vec<f64>,
    w: f64,
    gradient: Vec<f64>,
    x: Vec<f64>,
}

impl DualAverager {
    /// `z_i(0) = 0`, `w_i(0) = 1`, `x_i(0) = Pi(0, 1)`.
    pub fn new(setup: Setup) -> Self {
        let (x, z) = (setup.start(), vec![0.0; setup.blocks.dim()]);
        Self { model: Model::new(setup), gradient: z.clone(), z, w: 1.0, x }
    }
}

impl Learner for DualAverager {
    fn estimate(&self) -> &[f64] {
        &self.x
    }

    fn learn(&mut self, t: u64, f: &dyn Objective) {
        self.gradient = self.model.gradient(t, f, &self.x);
        self.model.publish(t, &self.z);
    }

    fn speak(&mut self, degree: Degree) -> Message {
        self.model.speak(degree, vec![self.w])
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        let (mixed, w) = self.model.mix(inbox);
        self.z = mixed;
        self.z.iter_mut().zip(&self.gradient).for_each(|(z, g)| *z += g);
        if self.model.pushes() {
            self.w = w.iter().sum(); // otherwise it stays 1, exactly
        }
        let ratio: Vec<f64> = self.z.iter().map(|z| z / self.w).collect();
        self.model.setup.set.prox(&ratio, self.model.setup.step.after(t), &mut self.x);
    }

    fn ledger(&self) -> &Ledger {
        &self.model.ledger
    }
}
