//! What the learners of decomposable problems have in common. Every node has a whole model and its own samples, and sends one
//! noised state per round. The algorithm says what that state is and how it is used.

use super::{Body, Message, Setup};
use crate::network::Degree;
use crate::privacy::{Guard, Ledger, Released, Sealed};

/// A node of such an algorithm, without its update rule.
pub(super) struct ModelNode {
    pub(super) setup: Setup,
    pub(super) ledger: Ledger,
    pub(super) degree: Degree,
    /// What it sends in this round: its state with noise...
    pub(super) said: Released,
    /// ...and numbers that depend on the network alone.
    pub(super) weights: Vec<f64>,
    guard: Guard,
}

impl ModelNode {
    pub(super) fn new(setup: Setup) -> Self {
        Self {
            guard: setup.guard(),
            ledger: setup.plan.ledger(),
            degree: Degree { node: setup.node, heard: 1, told: 1 },
            said: Released::zeros(setup.blocks.dim()),
            weights: Vec::new(),
            setup,
        }
    }

    /// `g_i`: a subgradient of the node's own cost at `x`, all coordinates, with the gradient error.
    pub(super) fn gradient(&mut self, t: u64, cost: &Sealed<'_>, x: &[f64]) -> Vec<f64> {
        let mut g = self.guard.unprotected(cost, x, &mut self.ledger);
        let error = self.setup.error(self.setup.node, t, g.len());
        g.iter_mut().zip(error).for_each(|(g, e)| *g += e);
        g
    }

    /// `state + eta`, to be sent in round `t`: fresh noise on every coordinate.
    pub(super) fn publish(&mut self, t: u64, state: &[f64]) {
        let secret = self.guard.state(t, state.to_vec(), &mut self.ledger);
        self.said = self.guard.release(secret, t, &mut self.ledger);
    }

    pub(super) fn speak(&mut self, degree: Degree, weights: Vec<f64>) -> Message {
        self.degree = degree;
        self.weights.clone_from(&weights);
        Message { from: degree, body: Body::State { state: self.said.clone(), weights } }
    }

    /// The messages of this round, its own included, in order of nodes.
    pub(super) fn heard<'a>(&'a self, inbox: &[&'a Message]) -> Vec<(Degree, &'a Released, &'a [f64])> {
        let others = inbox.iter().filter_map(|m| match &m.body {
            Body::State { state, weights } => Some((m.from, state, &weights[..])),
            _ => None,
        });
        let mut heard: Vec<_> = others.chain([(self.degree, &self.said, &self.weights[..])]).collect();
        heard.sort_by_key(|(from, ..)| from.node);
        heard
    }

    /// `sum_j a_ij` of the states and of the numbers that came with them.
    pub(super) fn mix(&self, inbox: &[&Message]) -> (Vec<f64>, Vec<f64>) {
        let heard = self.heard(inbox);
        let degrees: Vec<_> = heard.iter().map(|(from, ..)| *from).collect();
        let mut row = vec![0.0; heard.len()];
        if let Some(weights) = &self.setup.weights {
            weights.row(self.degree, &degrees, &mut row);
        }
        let mut mixed = Released::zeros(self.said.len());
        let mut numbers = vec![0.0; self.weights.len()];
        for (a, (_, state, weights)) in row.into_iter().zip(heard) {
            mixed.add(a, state);
            numbers.iter_mut().zip(weights).for_each(|(sum, w)| *sum += a * w);
        }
        (mixed.to_reals(), numbers)
    }

    /// Whether the weights are push-sum's, so that a mixed state must be divided by the mixed weight.
    pub(super) fn pushes(&self) -> bool {
        self.setup.weights.as_ref().is_some_and(|weights| !weights.row_stochastic())
    }

    /// `x -= c g`
    pub(super) fn descend(x: &mut [f64], c: f64, g: &[f64]) {
        x.iter_mut().zip(g).for_each(|(x, g)| *x -= c * g);
    }
}
