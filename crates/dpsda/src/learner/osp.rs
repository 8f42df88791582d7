//! OSP, online subgradient-push (Akbari, Gharesifard and Linder 2017): directed, unconstrained, no noise.
//!
//! The authors push at the beginning of a round, before its cost is seen; so here pushing falls into the exchange.
//!
//! | in round t | |
//! |---|---|
//! | commit | `theta_i(t) = s_i(t)/w_i(t)`; `s_i(0) = Pi(0, 1)`, `w_i(0) = 1` |
//! | learn | `g_i` of `f_{i,t}` at `theta_i(t)`; `x_i(t+1) = s_i(t) - alpha(t) g_i` |
//! | send | `x_i(t+1)` and `w_i(t)` |
//! | mix | `s_i(t+1) = sum_j A_ij x_j(t+1)`, `w_i(t+1) = sum_j A_ij w_j(t)` |
//!
//! It ignores the set: on any set but `free` it runs unconstrained, and `violation_max` says how far outside it was.

use super::model::ModelNode;
use super::{Algorithm, Build, Facts, Learner, Message, Mixes, Probe, Setup};
use crate::catalog::Listing;
use crate::network::Degree;
use crate::privacy::{Ledger, Sealed};

/// OSP: subgradient-push, without noise.
///
/// ```
/// use dpsda::learner::{Algorithm, osp::Osp};
/// assert_eq!(Algorithm::from(Osp).name(), "osp");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Osp;

const FACTS: Facts = Facts::model(Some(Mixes::Columns("push-sum"))).without_noise().unconstrained();

impl From<Osp> for Algorithm {
    fn from(Osp: Osp) -> Self {
        Self::bare(LISTING.name, FACTS, Pusher::new)
    }
}

/// `osp`
pub const LISTING: Listing<Build> = Listing {
    name: "osp",
    about: "baseline, own samples per node: online subgradient-push along directed links, unconstrained, no noise (Akbari 2017)",
    keys: &[],
    build: Build { facts: FACTS, make: |_| Ok(Osp.into()) },
};

/// A node that pushes its state and descends from the ratio; with noise on what is pushed, DP-OSP.
pub(super) struct Pusher {
    model: ModelNode,
    s: Vec<f64>,
    w: f64,
    theta: Vec<f64>,
}

impl Pusher {
    /// `theta_i(0) = s_i(0) = Pi(0, 1)`, `w_i(0) = 1`.
    pub(super) fn new(setup: Setup) -> Self {
        let s = setup.start();
        Self { model: ModelNode::new(setup), theta: s.clone(), s, w: 1.0 }
    }
}

impl Probe for Pusher {}

impl Learner for Pusher {
    fn estimate(&self) -> &[f64] {
        &self.theta
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        let g = self.model.gradient(t, cost, &self.theta);
        ModelNode::descend(&mut self.s, self.model.setup.step.after(t), &g); // now x_i(t+1)
        self.model.publish(t, &self.s);
    }

    fn speak(&mut self, _t: u64, me: Degree, _receivers: &[Degree]) -> Message {
        self.model.speak(me, vec![self.w])
    }

    fn listen(&mut self, _t: u64, inbox: &[&Message]) {
        let (s, w) = self.model.mix(inbox);
        (self.s, self.w) = (s, w.iter().sum());
        self.theta = self.s.iter().map(|s| s / self.w).collect();
    }

    fn ledger(&self) -> &Ledger {
        &self.model.ledger
    }
}
