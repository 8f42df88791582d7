//! DPSR, private subgradient rescaling (Xiong, Xu, You, Liu and Wu 2020): a fixed digraph with row-stochastic weights, whose
//! bias every node learns and divides out; constrained.
//!
//! | in round t | |
//! |---|---|
//! | commit | `x_i(t)`; `x_i(0) = Pi(0, 1)` |
//! | learn | `g_i` of `f_{i,t}` at `x_i(t)` |
//! | send | `x_i(t) + eta_i(t)` and `r_i(t)`, n numbers; `r_i(0) = e_i` |
//! | mix | `r_i(t+1) = sum_j a_ij r_j(t)`, `x_i(t+1) = P(sum_j a_ij (x_j + eta_j) - alpha(t) g_i / r_i(t+1)[i])` |
//!
//! `r_i[i]` tends to how much the network listens to node i, the i-th entry of the left Perron vector.

use super::model::ModelNode;
use super::{Algorithm, Build, Facts, Graphs, Learner, Message, Mixes, Probe, Setup};
use crate::catalog::Listing;
use crate::network::Degree;
use crate::privacy::{Ledger, Sealed};

/// DPSR: subgradients rescaled on one fixed digraph.
///
/// ```
/// use dpsda::learner::{Algorithm, dpsr::Dpsr};
/// assert_eq!(Algorithm::from(Dpsr).name(), "dpsr");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Dpsr;

const FACTS: Facts = Facts::model(Some(Mixes::RowsOnly("row"))).on(Graphs::Union);

impl From<Dpsr> for Algorithm {
    fn from(Dpsr: Dpsr) -> Self {
        Self::bare(LISTING.name, FACTS, Rescaler::new)
    }
}

/// `dpsr`
pub const LISTING: Listing<Build> = Listing {
    name: "dpsr",
    about: "baseline, own samples per node: DPSR, noised models over one fixed digraph, the union of a period (Xiong 2020)",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(Dpsr.into()) },
};

/// A node that averages models and rescales its subgradient.
struct Rescaler {
    model: ModelNode,
    x: Vec<f64>,
    r: Vec<f64>,
    gradient: Vec<f64>,
}

impl Rescaler {
    /// `x_i(0) = Pi(0, 1)`, `r_i(0) = e_i`.
    fn new(setup: Setup) -> Self {
        let (x, me) = (setup.start(), setup.node);
        let r = (0..setup.blocks.nodes()).map(|j| if j == me { 1.0 } else { 0.0 }).collect();
        Self { gradient: vec![0.0; x.len()], model: ModelNode::new(setup), x, r }
    }
}

impl Probe for Rescaler {}

impl Learner for Rescaler {
    fn estimate(&self) -> &[f64] {
        &self.x
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        self.gradient = self.model.gradient(t, cost, &self.x);
        self.model.publish(t, &self.x);
    }

    fn speak(&mut self, _t: u64, me: Degree, _receivers: &[Degree]) -> Message {
        self.model.speak(me, self.r.clone())
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        (self.x, self.r) = self.model.mix(inbox);
        // Positive, because every node hears itself.
        let own = self.r.get(self.model.setup.node).copied().unwrap_or(1.0);
        ModelNode::descend(&mut self.x, self.model.setup.step.after(t) / own, &self.gradient);
        self.model.setup.set.project(&mut self.x);
    }

    fn ledger(&self) -> &Ledger {
        &self.model.ledger
    }
}
