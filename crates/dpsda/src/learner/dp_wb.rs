//! DP-WB, private subgradient descent with weight balancing (Zhu, Xu, Guan and Wu 2018): directed, unconstrained.
//!
//! | in round t | |
//! |---|---|
//! | commit | `x_i(t)`; `x_i(0) = Pi(0, 1)` |
//! | learn | `g_i` of `f_{i,t}` at `x_i(t)` |
//! | send | `x~_i(t) = x_i(t) + eta_i(t)` and `b_i(t)`; `b_i(0) = 1/n` |
//! | mix | `x_i(t+1) = x_i(t) + sum_{j in N_in} b_j(t) x~_j(t) - outdeg_i b_i(t) x~_i(t) - alpha(t) g_i` |
//! | balance | `b_i(t+1) = (b_i(t) + (1/outdeg_i) sum_{j in N_in} b_j(t))/2`, at most `1/(1 + outdeg_i)` |
//!
//! Degrees are without the node itself. What is added at one end is taken away at the other with the same `b_j(t)`, so the
//! mean model moves by gradients alone. Weights: `b_i(0) = 1/n` is at most `1/(1 + outdeg_i)`, and the bound is kept, so that
//! every `b_i` and every `1 - outdeg_i b_i`, the weight a node keeps for itself, lies in (0, 1). On a strongly connected
//! graph `b` tends to a balance `outdeg_i b_i = sum_{j in N_in} b_j` under the bound: its smallest ratio to any balance that fits
//! under the bound never falls, its largest never grows.
//!
//! Balance is a property of one graph: where a node hears nobody in some round, its weight is halved, and over rounds that
//! are not strongly connected all weights die out. So it runs on one graph, as DPSR does: the union of a period.

use super::model::ModelNode;
use super::{Algorithm, Build, Facts, Graphs, Learner, Message, Probe, Setup};
use crate::catalog::Listing;
use crate::network::Degree;
use crate::privacy::{Ledger, Released, Sealed};

/// DP-WB: balanced weights on one fixed digraph.
///
/// ```
/// use dpsda::learner::{Algorithm, dp_wb::DpWb};
/// assert_eq!(Algorithm::from(DpWb).name(), "dp-wb");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DpWb;

const FACTS: Facts = Facts::model(None).on(Graphs::Union).unconstrained();

impl From<DpWb> for Algorithm {
    fn from(DpWb: DpWb) -> Self {
        Self::bare(LISTING.name, FACTS, Balancer::new)
    }
}

/// `dp-wb`
pub const LISTING: Listing<Build> = Listing {
    name: "dp-wb",
    about: "baseline, own samples per node: noised models and balanced weights over one fixed digraph, the union of a period, \
            unconstrained (Zhu 2018)",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(DpWb.into()) },
};

/// A node that balances what it gives with what it gets.
struct Balancer {
    model: ModelNode,
    x: Vec<f64>,
    b: f64,
    gradient: Vec<f64>,
}

impl Balancer {
    /// `x_i(0) = Pi(0, 1)`, `b_i(0) = 1/n`.
    fn new(setup: Setup) -> Self {
        let (x, n) = (setup.start(), setup.blocks.nodes());
        Self { gradient: vec![0.0; x.len()], model: ModelNode::new(setup), x, b: 1.0 / n as f64 }
    }
}

impl Probe for Balancer {}

impl Learner for Balancer {
    fn estimate(&self) -> &[f64] {
        &self.x
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        self.gradient = self.model.gradient(t, cost, &self.x);
        self.model.publish(t, &self.x);
    }

    fn speak(&mut self, _t: u64, me: Degree, _receivers: &[Degree]) -> Message {
        self.model.speak(me, vec![self.b])
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        let me = self.model.degree;
        let told = me.told.saturating_sub(1) as f64;
        let mut flow = Released::zeros(self.x.len());
        let mut given = 0.0;
        for (from, state, weights) in self.model.heard(inbox) {
            let b: f64 = weights.iter().sum();
            if from.node == me.node {
                flow.add(-told * b, state);
            } else {
                flow.add(b, state);
                given += b;
            }
        }
        self.x.iter_mut().zip(flow.to_reals()).for_each(|(x, flow)| *x += flow);
        ModelNode::descend(&mut self.x, self.model.setup.step.after(t), &self.gradient);
        if told > 0.0 {
            self.b = ((self.b + given / told) / 2.0).min(1.0 / (1.0 + told));
        }
    }

    fn ledger(&self) -> &Ledger {
        &self.model.ledger
    }
}
