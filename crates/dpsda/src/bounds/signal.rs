//! The constants of Assumption 2 for a given plan: what a node adds to its dual in a round, and the noise on it.

use super::{Constants, Missing};
use crate::privacy::Plan;
use crate::privacy::clip::Norm;
use crate::privacy::plan::{Adjacency, Arithmetic, Coverage, Decide};

/// Moments of `u(t)`, the clipped gradient that nodes learn in a round, and of the noise on it. Their unit is that of a
/// gradient.
///
/// ```
/// use dpsda::Blocks;
/// use dpsda::bounds::{Constants, SignalMoments};
/// use dpsda::learner::Style;
/// use dpsda::privacy::{Plan, Privacy, mechanism::Laplace, plan::Extent};
/// let blocks = Blocks::even(4, 2)?;
/// let asked = Privacy::epsilon(1.0).clip(0.5).mechanism(Laplace);
/// let plan = Plan::new(asked, &Extent { style: Style::Relay, blocks: &blocks, rounds: 100, batch: 1 })?;
/// let constants = Constants { gradient: 3.0, examples: vec![3.0; 2], ..Constants::unbounded(&blocks) };
/// let moments = SignalMoments::of(&constants, &plan, 0.0).unwrap();
/// assert!(moments.square < 0.5); // 9 without the clip
/// assert!(moments.bias > 0.0); // the clip shortens gradients of length 3
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SignalMoments {
    /// `L^^2`, a bound on the mean square length of `u(t)`, all blocks together.
    pub square: f64,
    /// A bound on the distance between the mean of `u(t)` and the gradient: the bias of the clip. 0 without a clip.
    pub bias: f64,
    /// The noise.
    pub noise: Perturbation,
}

/// What is known about the noise.
///
/// ```
/// use dpsda::bounds::{Constants, Perturbation, SignalMoments};
/// use dpsda::prelude::*;
/// let blocks = Blocks::even(4, 2)?;
/// let asked = Privacy::epsilon(1.0).delta(1e-5).clip(0.5);
/// let noise = |asked: Privacy| {
///     let spec = Spec::new(blocks.clone()).set(Free).graph(Ring::new(2)?).algorithm(Relay).rounds(100);
///     let checked = spec.privacy(asked).check()?;
///     Ok::<_, Error>(SignalMoments::of(&Constants::unbounded(&blocks), checked.plan(), 0.0).unwrap().noise)
/// };
/// assert!(matches!(noise(asked.clone().mechanism(Gaussian))?, Perturbation::Fresh { all: false, .. }));
/// assert!(matches!(noise(asked.mechanism(Tree))?, Perturbation::Prefix(_))); // cancels over time
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Perturbation {
    /// Fresh in every release.
    Fresh {
        /// `s^2`, the variance of each coordinate of `eta_j`, in the unit of the dual.
        variance: f64,
        /// True: a node adds noise to all coordinates. False: only to its own block.
        all: bool,
        /// Whether decisions are made from noisy duals.
        published: bool,
    },
    /// Correlated, so that it cancels over time. Entry `k` is the standard deviation of a coordinate of the sum of the
    /// first releases, for sums of fewer than `2^k` releases.
    Prefix(Vec<f64>),
}

impl SignalMoments {
    /// The moments under this plan, if gradients have errors of variance `error` per coordinate.
    pub fn of(constants: &Constants, plan: &Plan, error: f64) -> Result<Self, Missing> {
        if plan.arithmetic() == Arithmetic::Grid {
            return Err(Missing::Grid);
        }
        if plan.adjacency() == Adjacency::Agent && plan.unit().is_some() {
            return Err(Missing::Agent);
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
            rounded += (root * unit).powi(2); // rounding to the grid moves every coordinate by at most one unit
        }
        // If each example is clipped by itself, the examples no longer sum to the gradient plus one error. Then only the
        // mean of their lengths is known, and each carries the error.
        let longest = match plan.adjacency() {
            // A plan for agents comes here only without a clip, where it is as for rounds.
            Adjacency::Round | Adjacency::Agent => raw.sqrt(),
            Adjacency::Example => constants.gradient + (error * constants.dim() as f64).sqrt(),
        };
        let raw = (longest + rounded.sqrt()).powi(2);
        Ok(Self { square: raw.min(clipped), bias: bias.sqrt(), noise })
    }
}

impl Perturbation {
    /// How many coordinates the noise of each node has.
    pub(super) fn coordinates(&self, sizes: &[usize]) -> Vec<f64> {
        let d: usize = sizes.iter().sum();
        let all = matches!(self, Self::Fresh { all: true, .. });
        sizes.iter().map(|size| if all { d } else { *size } as f64).collect()
    }

    /// The largest standard deviation of a sum of up to `releases` releases of correlated noise; 0 for fresh noise.
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
