//! Laplace noise in f64, as the paper draws it.
//!
//! *Idealised*: over the reals a value of L1 sensitivity `s` released with scale `b` costs `s/b`. In floating point the
//! low bits of the sum betray the value whatever the scale (Mironov 2012), so this is for simulation and comparison.

use rand::RngExt;

use super::{Build, Ideal, Mechanism};
use crate::catalog::Listing;
use crate::privacy::Price;
use crate::privacy::clip::Norm;
use crate::rng::Stream;

/// Laplace noise in f64, as the paper draws it: idealised.
///
/// ```
/// use dpsda::privacy::{Mechanism, mechanism::Laplace};
/// assert_eq!(Mechanism::from(Laplace).name(), "laplace");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Laplace;

impl From<Laplace> for Mechanism {
    fn from(Laplace: Laplace) -> Self {
        Self::ideal(LISTING.name, Norm::L1, |order| LaplaceNoise { scale: order.scale })
    }
}

/// `laplace`
pub const LISTING: Listing<Build> = Listing {
    name: "laplace",
    about: "idealised Laplace noise in f64, the paper's; for simulation only",
    keys: &[],
    build: |_| Ok(Laplace.into()),
};

struct LaplaceNoise {
    scale: f64,
}

impl Ideal for LaplaceNoise {
    fn perturb(&mut self, value: &mut [f64], stream: &mut Stream) {
        for v in value {
            // A fair sign on an exponential draw; the uniform is below 1, so the logarithm is finite.
            let size = -(-stream.random::<f64>()).ln_1p();
            *v += self.scale * if stream.random() { size } else { -size };
        }
    }

    fn cost(&self, moved: f64, times: u64) -> Price {
        Price::epsilon(moved / self.scale).times(times)
    }

    /// (27): the variance of a draw is `2 scale^2`.
    fn prefix_deviation(&self, rounds: u64) -> Option<f64> {
        Some(self.scale * (2.0 * rounds as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    #[test]
    fn the_draws_follow_the_laplace_law() {
        let n = 200_000;
        let mut x = vec![0.0; n];
        LaplaceNoise { scale: 2.0 }.perturb(&mut x, &mut Seed::default().stream(Purpose::Noise, 0, 0));
        x.sort_by(f64::total_cmp);
        // Kolmogorov-Smirnov: sqrt(n) D exceeds 2.65 with probability 2 exp(-2 * 2.65^2) = 1.6e-6.
        let law = |x: f64| if x < 0.0 { 0.5 * (x / 2.0).exp() } else { 1.0 - 0.5 * (-x / 2.0).exp() };
        let d = x.iter().enumerate().map(|(i, x)| {
            let (low, high) = (i as f64 / n as f64, (i + 1) as f64 / n as f64);
            (law(*x) - low).abs().max((law(*x) - high).abs())
        });
        let d = d.fold(0.0, f64::max);
        assert!(d * (n as f64).sqrt() < 2.65, "D sqrt(n) = {}", d * (n as f64).sqrt());
    }
}
