//! Gaussian noise in f64.
//!
//! *Idealised*: over the reals a value of L2 sensitivity `s` released with standard deviation `sigma` is
//! `s^2/(2 sigma^2)`-zCDP. Floating point does not keep that promise (see `laplace`), so this is for simulation and comparison.

use rand_distr::{Distribution, StandardNormal};

use super::{Build, Ideal, Mechanism};
use crate::catalog::Listing;
use crate::privacy::Price;
use crate::privacy::clip::Norm;
use crate::rng::Stream;

/// Gaussian noise in f64: idealised.
///
/// ```
/// use dpsda::privacy::{Mechanism, mechanism::Gaussian};
/// assert_eq!(Mechanism::from(Gaussian).name(), "gaussian");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Gaussian;

impl From<Gaussian> for Mechanism {
    fn from(Gaussian: Gaussian) -> Self {
        Self::ideal(LISTING.name, Norm::L2, |order| GaussianNoise { sigma: order.scale })
    }
}

/// `gaussian`
pub const LISTING: Listing<Build> = Listing {
    name: "gaussian",
    about: "idealised Gaussian noise in f64; for simulation only",
    keys: &[],
    build: |_| Ok(Gaussian.into()),
};

struct GaussianNoise {
    sigma: f64,
}

impl Ideal for GaussianNoise {
    fn perturb(&mut self, value: &mut [f64], stream: &mut Stream) {
        for v in value {
            let z: f64 = StandardNormal.sample(stream);
            *v += self.sigma * z;
        }
    }

    fn cost(&self, moved: f64, times: u64) -> Price {
        Price::rho((moved / self.sigma).powi(2) / 2.0).times(times)
    }

    fn prefix_deviation(&self, rounds: u64) -> Option<f64> {
        Some(self.sigma * (rounds as f64).sqrt())
    }
}
