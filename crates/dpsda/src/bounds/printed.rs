//! The paper's formulas as printed, with noise given by its variance: `2 sigma^2 = 8 n^2 L^^2 / eps^2` for the paper's sigma.
//!
//! **None of this is proved.** Lemmas 3 and 6 exchange a mean and a maximum, and (29) lacks a factor n, which
//! [`Printed::m`] adds on request. See `docs/bounds.md`.
//!
//! The formulas are restated for blocks of several coordinates: `L^` bounds one block, D the whole set, and noise is counted
//! per coordinate. For d = n, the paper's case, they are as printed. Steps are `c/sqrt(t+1)`; like the paper's, they sum to
//! at most `2c sqrt(T)`.

use crate::network::certificate::Certificate;

/// What the formulas take.
///
/// ```
/// use dpsda::bounds::printed::Printed;
/// let (psi, gradient, smoothness, diameter) = (0.5, 1.0, 1.0, 2.0);
/// let printed =
///     Printed { nodes: 7, dim: 7, square: 4.0, variance: 1.0, psi, gradient, smoothness, diameter, step: 1.0 };
/// assert_eq!(printed.sensitivity(1), 28.0); // 2 n L^
/// ```
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
    /// (15), Lemmas 1 and 4: `2 n L^`, times the square root of the block's size because (15) is a 1-norm (Remark 5).
    pub fn sensitivity(&self, block: usize) -> f64 {
        2.0 * self.nodes as f64 * self.square.sqrt() * (block as f64).sqrt()
    }

    /// The consensus error: (18) of Lemma 3, or Lemma 6.
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

    /// M_1 of Theorem 3 or M_2 of Theorem 5. The theorems claim that regret is at most `M sqrt(T)`. With `count_all`, (29)
    /// counts the coordinates of all nodes.
    pub fn m(&self, certificate: &Certificate, count_all: bool) -> Option<f64> {
        let (n, per_node) = (self.nodes as f64, self.dim as f64 / self.nodes as f64);
        let noise = per_node * self.variance * if count_all { n } else { 1.0 }; // (29)
        let away = (n * self.consensus(certificate)?).sqrt();
        let slopes = self.gradient + self.diameter * self.smoothness;
        Some(self.step * (2.0 * noise + 2.0 * n * self.square + 2.0 * slopes * away) + self.psi / self.step)
    }

    /// Corollaries 1 and 2 claim that (19) is at most this times `sqrt(T)`. Their proof uses the cost of one round in place of
    /// another's. Nothing here relies on it.
    pub fn corollary(&self, certificate: &Certificate) -> Option<f64> {
        self.m(certificate, false).map(|m| 2.0 * m)
    }
}
