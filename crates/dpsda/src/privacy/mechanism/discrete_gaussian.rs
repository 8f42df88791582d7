//! Discrete Gaussian noise on the grid: `P(k) ~ exp(-k^2 / (2 sigma^2))` on the integers, drawn exactly.
//!
//! **Postcondition.** A release whose value one event can move by at most `s` units in L2 is `s^2/(2 sigma^2)`-zCDP, rounded up
//! to a thousand-millionth.
//!
//! **Proof.** Canonne, Kamath and Steinke 2020, Theorem 14: for an integer shift `m` the Renyi divergence of order `alpha`
//! between the discrete Gaussian and its shift is at most `alpha m^2/(2 sigma^2)`, with equality in the continuous case
//! (Poisson summation). Coordinates draw independently and divergences add up, so the sum of squares `s^2` takes the place of
//! `m^2`. Different releases draw independently, adaptive ones compose (Bun and Steinke 2016, Lemma 2.3), and their rhos add
//! up.

use super::{Build, Exact, Mechanism, Order, Variance, Variances};
use crate::catalog::Listing;
use crate::privacy::Price;
use crate::privacy::clip::Norm;
use crate::privacy::sample::GaussianSampler;
use crate::rng::Stream;

/// Discrete Gaussian noise on the grid: zCDP.
///
/// ```
/// use dpsda::privacy::{Mechanism, mechanism::DiscreteGaussian};
/// assert_eq!(Mechanism::from(DiscreteGaussian).name(), "discrete-gaussian");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DiscreteGaussian;

impl From<DiscreteGaussian> for Mechanism {
    fn from(DiscreteGaussian: DiscreteGaussian) -> Self {
        Self::exact(LISTING.name, Norm::L2, GridGaussian::new)
    }
}

/// `discrete-gaussian`
pub const LISTING: Listing<Build> = Listing {
    name: "discrete-gaussian",
    about: "exact Gaussian noise on an integer grid: zCDP, L2 clip, epsilon at a delta",
    keys: &[],
    build: |_| Ok(DiscreteGaussian.into()),
};

struct GridGaussian {
    law: GaussianSampler,
    sigma: u64,
}

impl GridGaussian {
    fn new(Order { scale, .. }: Order<u64>) -> Self {
        let law = GaussianSampler::new(scale);
        Self { law, sigma: law.sigma() }
    }
}

impl Exact for GridGaussian {
    fn perturb(&mut self, value: &mut [i64], stream: &mut Stream) {
        self.law.noise(value, stream);
    }

    fn cost(&self, moved: u64, times: u64) -> Price {
        Price::gaussian(u128::from(moved).pow(2), self.sigma).times(times)
    }

    fn log_likelihood(&self, noise: &[Vec<i64>]) -> f64 {
        -noise.iter().flatten().map(|k| (*k as f64).powi(2)).sum::<f64>()
            / (2.0 * (self.sigma as f64).powi(2))
    }

    fn prefix_deviation(&self, rounds: u64) -> f64 {
        self.sigma as f64 * (rounds as f64).sqrt()
    }

    fn variances(&self) -> Option<Variances> {
        let deviation = self.prefix_deviation(1);
        Some(Variance::independent(deviation * deviation))
    }
}
