//! The paper's formulas as printed, with noise by its variance: `2 sigma^2 = 8 n^2 L^^2 / eps^2` for its own choice of sigma.
//!
//! Blocks of several coordinates are restated: `L^` bounds a block, D the whole set, and noise is counted by coordinate (in
//! the paper d = n, and everything here is as printed). Steps are `c/sqrt(t+1)`, for which the sum of all steps is at most `2c
//! sqrt(T)` as it is for the paper's. **None of this is proved**: Lemmas 3 and 6 exchange a mean and a maximum, and (29) has
//! a factor n too few, which is put right in [`Printed::m`] on request. See `docs/bounds.md`.

use crate::network::certificate::Certificate;

/// What goes in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Printed {
    /// n
    pub nodes: usize,
    /// d
    pub dim: usize,
    /// `L^^2`, of one node.
    pub square: f64,
    /// `2 sigma^2`, the variance of the noise on a coordinate of a dual.
    pub variance: f64,
    /// C
    pub psi: f64,
    /// L
    pub gradient: f64,
    /// G
    pub smoothness: f64,
    /// `sqrt(n) D_chi`
    pub diameter: f64,
    /// c
    pub step: f64,
}

impl Printed {
    /// (15), Lemmas 1 and 4: `2 n L^`, times the root of the block's size because it is a 1-norm (Remark 5).
    pub fn sensitivity(&self, block: usize) -> f64 {
        2.0 * self.nodes as f64 * self.square.sqrt() * (block as f64).sqrt()
    }

    /// (18), Lemma 3, or Lemma 6: the consensus error.
    pub fn consensus(&self, certificate: &Certificate) -> Option<f64> {
        let mixing = certificate.mixing.as_ref()?;
        let (n, per_node) = (self.nodes as f64, self.dim as f64 / self.nodes as f64);
        if mixing.row_stochastic {
            let slow = ((1.0 - mixing.one_minus_theta) * mixing.one_minus_theta).powi(2); // theta^2 (1 - theta)^2
            return Some(
                3.0 * n.powi(4) * (self.square / slow + self.square + per_node * self.variance / slow),
            );
        }
        let short = certificate.one_minus_lambda.filter(|x| *x > 0.0)?;
        let (beta, gamma, lambda) = (2.0_f64, mixing.gamma, 1.0 - short);
        let slow = 8.0 * (n * beta / (gamma * short)).powi(2);
        Some(slow * (self.square / (lambda * lambda) + per_node * self.variance))
    }

    /// M_1 of Theorem 3 or M_2 of Theorem 5; regret is claimed to be at most `M sqrt(T)`. With `count_all`, (29) counts the
    /// coordinates of all nodes.
    pub fn m(&self, certificate: &Certificate, count_all: bool) -> Option<f64> {
        let (n, per_node) = (self.nodes as f64, self.dim as f64 / self.nodes as f64);
        let noise = per_node * self.variance * if count_all { n } else { 1.0 }; // (29)
        let away = (n * self.consensus(certificate)?).sqrt();
        let slopes = self.gradient + self.diameter * self.smoothness;
        Some(self.step * (2.0 * noise + 2.0 * n * self.square + 2.0 * slopes * away) + self.psi / self.step)
    }

    /// Corollaries 1 and 2: (19) is claimed to be at most this times `sqrt(T)`. Their proof takes the cost of one round for
    /// that of another, and nothing here relies on it.
    pub fn corollary(&self, certificate: &Certificate) -> Option<f64> {
        self.m(certificate, false).map(|m| 2.0 * m)
    }
}
