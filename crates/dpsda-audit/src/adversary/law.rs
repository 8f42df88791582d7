//! The distribution of the noise, as the adversary knows it.

use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::{Exact, Noise};

use crate::Arena;

/// The likelihood of noise, up to a constant.
pub(crate) enum Law {
    /// As the mechanism itself computes it.
    Exact(Box<dyn Exact>),
    /// Idealised, in units of the grid.
    Laplace(f64),
    /// Idealised, in units of the grid.
    Gaussian(f64),
    /// No noise.
    Nothing,
}

impl Law {
    /// The law of node `i`. Idealised noise does not state its law: it is assumed to be Gaussian if it is priced in the L2
    /// norm, and Laplace otherwise. A wrong assumption costs the adversary power, but never accuses a claim that holds.
    pub(crate) fn of(arena: &Arena, i: usize, unit: f64) -> Self {
        let scale = arena.claimed.scale() / unit;
        match arena.claimed.noise(i) {
            Noise::Exact(noise) => Self::Exact(noise),
            Noise::Ideal(_) if arena.claimed.mechanism().norm() == Norm::L2 => Self::Gaussian(scale),
            Noise::Ideal(_) => Self::Laplace(scale),
            Noise::Nothing => Self::Nothing,
        }
    }

    pub(crate) fn is_exact(&self) -> bool {
        matches!(self, Self::Exact(_))
    }

    /// The logarithm of the probability of this noise, release by release from the first.
    pub(crate) fn log_likelihood(&self, noise: &[&[f64]]) -> f64 {
        let all = noise.iter().copied().flatten();
        match self {
            Self::Exact(law) => {
                let units: Vec<Vec<i64>> =
                    noise.iter().map(|round| round.iter().map(|x| x.round() as i64).collect()).collect();
                law.log_likelihood(&units)
            }
            Self::Laplace(scale) => -all.map(|x| x.abs()).sum::<f64>() / scale,
            Self::Gaussian(sigma) => -all.map(|x| x * x).sum::<f64>() / (2.0 * sigma * sigma),
            Self::Nothing => 0.0,
        }
    }

    /// Whether two noise values are the same draw.
    pub(crate) fn same(&self, a: f64, b: f64) -> bool {
        let near = match self {
            Self::Exact(_) => 0.25,
            Self::Laplace(scale) | Self::Gaussian(scale) => 1e-9 * scale,
            Self::Nothing => 1e-9,
        };
        (a - b).abs() <= near
    }
}
