//! DPDOLA, private distributed online gradient descent (Li, Zhou, Xiong, Wang and Wang 2018): undirected, constrained.
//!
//! The authors send a model at the end of a round and mix at the beginning of the next, before its cost is seen; so here
//! mixing falls into the exchange, and `b_i(0) = x_i(0) = Pi(0, 1)`.
//!
//! | in round t | |
//! |---|---|
//! | commit | `x_i(t)`, which lies in the set; `b_i(t)` need not, for it holds the noise |
//! | learn | `g_i` of `f_{i,t}` at `b_i(t)`; `x_i(t+1) = P(b_i(t) - alpha(t) g_i)` |
//! | send | `x_i(t+1) + eta_i(t)` |
//! | mix | `b_i(t+1) = sum_j a_ij (x_j(t+1) + eta_j(t))`, doubly stochastic |

use super::model::ModelNode;
use super::{Algorithm, Build, Facts, Graphs, Learner, Message, Mixes, Probe, Setup};
use crate::catalog::Listing;
use crate::network::Degree;
use crate::privacy::{Ledger, Sealed};

/// DPDOLA: noised models, averaged.
///
/// ```
/// use dpsda::learner::{Algorithm, dpdola::Dpdola};
/// assert_eq!(Algorithm::from(Dpdola).name(), "dpdola");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Dpdola;

const FACTS: Facts = Facts::model(Some(Mixes::Both("metropolis"))).on(Graphs::Undirected);

impl From<Dpdola> for Algorithm {
    fn from(Dpdola: Dpdola) -> Self {
        Self::bare(LISTING.name, FACTS, Dola::new)
    }
}

/// `dpdola`
pub const LISTING: Listing<Build> = Listing {
    name: "dpdola",
    about: "baseline, own samples per node: DPDOLA, noised models averaged over undirected links (Li 2018)",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(Dpdola.into()) },
};

/// A node that averages models and descends from the average.
struct Dola {
    model: ModelNode,
    x: Vec<f64>,
    b: Vec<f64>,
}

impl Dola {
    /// `b_i(0) = x_i(0) = Pi(0, 1)`.
    fn new(setup: Setup) -> Self {
        let x = setup.start();
        Self { model: ModelNode::new(setup), b: x.clone(), x }
    }
}

impl Probe for Dola {}

impl Learner for Dola {
    fn estimate(&self) -> &[f64] {
        &self.x
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        let g = self.model.gradient(t, cost, &self.b);
        self.x.clone_from(&self.b);
        ModelNode::descend(&mut self.x, self.model.setup.step.after(t), &g);
        self.model.setup.set.project(&mut self.x);
        self.model.publish(t, &self.x);
    }

    fn speak(&mut self, _t: u64, me: Degree, _receivers: &[Degree]) -> Message {
        self.model.speak(me, Vec::new())
    }

    fn listen(&mut self, _t: u64, inbox: &[&Message]) {
        self.b = self.model.mix(inbox).0;
    }

    fn ledger(&self) -> &Ledger {
        &self.model.ledger
    }
}
