//! DODA, distributed online dual averaging (Hosseini, Chapman and Mesbahi 2016): undirected, constrained, no noise.
//!
//! | in round t | |
//! |---|---|
//! | commit | `x_i(t)`; `x_i(0) = Pi(0, 1)` |
//! | learn | `g_i` of `f_{i,t}` at `x_i(t)` |
//! | send | `z_i(t)`, which does not hold `g_i` yet; `z_i(0) = 0` |
//! | mix | `z_i(t+1) = sum_j W_ij z_j(t) + g_i`, `x_i(t+1) = Pi(z_i(t+1), alpha(t))` |

use super::model::ModelNode;
use super::{Algorithm, Build, Facts, Graphs, Learner, Message, Mixes, Probe, Setup};
use crate::catalog::Listing;
use crate::network::Degree;
use crate::privacy::{Ledger, Sealed};

/// DODA, without noise.
///
/// ```
/// use dpsda::learner::{Algorithm, doda::Doda};
/// assert_eq!(Algorithm::from(Doda).name(), "doda");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Doda;

const FACTS: Facts = Facts::model(Some(Mixes::Both("metropolis"))).on(Graphs::Undirected).without_noise();

impl From<Doda> for Algorithm {
    fn from(Doda: Doda) -> Self {
        Self::bare(LISTING.name, FACTS, DualAverager::new)
    }
}

/// `doda`
pub const LISTING: Listing<Build> = Listing {
    name: "doda",
    about: "baseline, own samples per node: dual averaging over undirected links, no noise (Hosseini 2016)",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(Doda.into()) },
};

/// A node that averages duals: DODA; with noise on the duals and push-sum weights, DPPS.
pub(super) struct DualAverager {
    model: ModelNode,
    z: Vec<f64>,
    w: f64,
    gradient: Vec<f64>,
    x: Vec<f64>,
}

impl DualAverager {
    /// `z_i(0) = 0`, `w_i(0) = 1`, `x_i(0) = Pi(0, 1)`.
    pub(super) fn new(setup: Setup) -> Self {
        let (x, z) = (setup.start(), vec![0.0; setup.blocks.dim()]);
        Self { model: ModelNode::new(setup), gradient: z.clone(), z, w: 1.0, x }
    }
}

impl Probe for DualAverager {}

impl Learner for DualAverager {
    fn estimate(&self) -> &[f64] {
        &self.x
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        self.gradient = self.model.gradient(t, cost, &self.x);
        self.model.publish(t, &self.z);
    }

    fn speak(&mut self, _t: u64, me: Degree, _receivers: &[Degree]) -> Message {
        self.model.speak(me, vec![self.w])
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
