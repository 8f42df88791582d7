//! Discrete Laplace noise on the grid: `P(k) ~ exp(-|k|/b)` on the integers, drawn exactly.
//!
//! **Postcondition.** A release whose value one event can move by at most `s` units in L1 costs `s/b`, pure, rounded up to a
//! millionth.
//!
//! **Proof.** For values `a`, `a'` and any output `v`, the probabilities are products over coordinates of
//! `c exp(-|v_k - a_k|/b)` with the same `c`, so their ratio is `exp(sum_k (|v_k - a'_k| - |v_k - a_k|)/b) <=
//! exp(|a - a'|_1 / b) <= exp(s/b)`. Both have the same support, all integers. Different releases draw independently, so
//! their prices add up.

use super::{Build, Exact, Mechanism, Order, Variance, Variances};
use crate::catalog::Listing;
use crate::privacy::Price;
use crate::privacy::clip::Norm;
use crate::privacy::sample::LaplaceSampler;
use crate::rng::Stream;

/// Discrete Laplace noise on the grid: pure epsilon.
///
/// ```
/// use dpsda::privacy::{Mechanism, mechanism::DiscreteLaplace};
/// assert_eq!(Mechanism::from(DiscreteLaplace).name(), "discrete-laplace");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DiscreteLaplace;

impl From<DiscreteLaplace> for Mechanism {
    fn from(DiscreteLaplace: DiscreteLaplace) -> Self {
        Self::exact(LISTING.name, Norm::L1, GridLaplace::new)
    }
}

/// `discrete-laplace`
pub const LISTING: Listing<Build> = Listing {
    name: "discrete-laplace",
    about: "exact Laplace noise on an integer grid: pure epsilon, L1 clip",
    keys: &[],
    build: |_| Ok(DiscreteLaplace.into()),
};

struct GridLaplace {
    law: LaplaceSampler,
    scale: u64,
}

impl GridLaplace {
    fn new(Order { scale, .. }: Order<u64>) -> Self {
        let law = LaplaceSampler::new(scale);
        Self { law, scale: law.scale() }
    }
}

impl Exact for GridLaplace {
    fn perturb(&mut self, value: &mut [i64], stream: &mut Stream) {
        self.law.noise(value, stream);
    }

    fn cost(&self, moved: u64, times: u64) -> Price {
        Price::pure_ratio(moved, self.scale).times(times)
    }

    fn log_likelihood(&self, noise: &[Vec<i64>]) -> f64 {
        -noise.iter().flatten().map(|k| k.unsigned_abs() as f64).sum::<f64>() / self.scale as f64
    }

    fn prefix_deviation(&self, rounds: u64) -> f64 {
        // The variance of one draw is 2p/(1-p)^2 with p = exp(-1/b).
        let p = (-1.0 / self.scale as f64).exp();
        (rounds as f64 * 2.0 * p).sqrt() / -(-1.0 / self.scale as f64).exp_m1()
    }

    fn variances(&self) -> Option<Variances> {
        let deviation = self.prefix_deviation(1);
        Some(Variance::independent(deviation * deviation))
    }
}
