//! Assumption 2 with numbers in it: what a node adds to its dual in a round, and the noise around it.

use super::{Constants, Missing};
use crate::privacy::Plan;
use crate::privacy::clip::Norm;
use crate::privacy::plan::{Adjacency, Arithmetic, Coverage, Decide};

/// Moments of what is learned and of what is added to it, in the unit of a gradient.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalMoments {
    /// `L^^2`: the mean square length of `u(t)`, all blocks together, is at most this.
    pub square: f64,
    /// How far the mean of `u(t)` is from the gradient at most: what a clip takes away. 0 without one.
    pub bias: f64,
    /// The noise.
    pub noise: Perturbation,
}

/// What is known of the noise.
#[derive(Debug, Clone, PartialEq)]
pub enum Perturbation {
    /// Fresh in every release.
    Fresh {
        /// `s^2`, the variance of a coordinate of `eta_j`, in the unit of the dual.
        variance: f64,
        /// Whether a node noises all coordinates or its own block.
        all: bool,
        /// Whether decisions come from noised duals.
        published: bool,
    },
    /// It cancels over time. The deviation of a coordinate of the sum of the first releases: entry `k` holds for sums of
    /// less than `2^k`.
    Prefix(Vec<f64>),
}

impl SignalMoments {
    /// Under this plan, with gradient errors of variance `error`.
    pub fn of(constants: &Constants, plan: &Plan, error: f64) -> Result<Self, Missing> {
        if plan.arithmetic() == Arithmetic::Grid {
            return Err(Missing::Grid);
        }
        let noise = if plan.correlated() {
            let bits = u64::BITS - plan.rounds().leading_zeros();
            let deviation = |k: u32| plan.deviation((1_u64 << k) - 1).ok_or(Missing::Noise);
            Perturbation::Prefix((0..=bits.min(62)).map(deviation).collect::<Result<_, _>>()?)
        } else {
            Perturbation::Fresh {
                variance: plan.deviation(1).ok_or(Missing::Noise)?.powi(2),
                all: plan.coverage() == Coverage::All,
                published: plan.decide() == Decide::Published,
            }
        };
        let raw = constants.gradient.powi(2) + error * constants.dim() as f64; // L^^2 = L^2 + v^2, for d coordinates
        let (mut bias, mut clipped, mut rounded) = (0.0, 0.0, 0.0);
        for (i, (size, largest)) in constants.sizes.iter().zip(&constants.examples).enumerate() {
            let Some(clip) = plan.clip(i) else { return Ok(Self { square: raw, bias: 0.0, noise }) };
            let unit = (-f64::from(clip.bits)).exp2();
            let (bound, root) = (clip.bound as f64 * unit, (*size as f64).sqrt());
            // A vector of 1-norm N is shrunk by C/N, and N is at most sqrt(d_i) lengths.
            let length = if clip.norm == Norm::L1 { bound / root } else { bound };
            let away = (largest - length).max(0.0) + root * error.sqrt() + (2.0 * root + 1.0) * unit;
            bias += away * away;
            clipped += bound * bound;
            rounded += (root * unit).powi(2); // every coordinate moves by a unit at most on its way to the grid
        }
        // Examples that are clipped one by one no longer add up to their gradient and one error: there only the mean of their
        // lengths is known, each with the error on it.
        let longest = match plan.adjacency() {
            Adjacency::Round => raw.sqrt(),
            Adjacency::Example => constants.gradient + (error * constants.dim() as f64).sqrt(),
        };
        let raw = (longest + rounded.sqrt()).powi(2);
        Ok(Self { square: raw.min(clipped), bias: bias.sqrt(), noise })
    }
}

impl Perturbation {
    /// For how many coordinates the noise of node `j` counts.
    pub(super) fn coordinates(&self, sizes: &[usize]) -> Vec<f64> {
        let d: usize = sizes.iter().sum();
        let all = matches!(self, Self::Fresh { all: true, .. });
        sizes.iter().map(|size| if all { d } else { *size } as f64).collect()
    }

    /// The largest deviation of a sum of up to `releases` releases, where noise cancels.
    pub(super) fn prefix(&self, releases: u64) -> f64 {
        match self {
            Self::Fresh { .. } => 0.0,
            Self::Prefix(deviations) => {
                let bits = (u64::BITS - releases.leading_zeros()) as usize;
                deviations.iter().take(bits + 1).copied().fold(0.0, f64::max)
            }
        }
    }
}
