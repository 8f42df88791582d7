//! Clip, sensitivity, noise scale and claim, derived together: none can be set apart.

use super::mechanism::{Build, Mechanism, Spec};
use super::{Cost, Guard};
use crate::Blocks;
use crate::catalog::Entry;
use crate::rng::Seed;

/// Which coordinates of a dual a node noises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// Its own block; the others are functions of messages already sent.
    Own,
    /// All of them, as in the paper.
    All,
}

/// What decisions are computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decide {
    /// Released values only.
    Published,
    /// The un-noised dual, as in the paper. Decisions are not protected.
    Private,
}

/// What a user asks for.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    /// The mechanism.
    pub mechanism: &'static Entry<Build>,
    /// The paper's label; infinite without noise.
    pub level: f64,
    /// A bound on the L1 norm of the whole gradient of one round.
    pub clip: Option<f64>,
    /// Where noise goes.
    pub noise: Noise,
    /// What decisions are computed from.
    pub decide: Decide,
}

impl Wish {
    /// Whether it adds no noise at all.
    pub fn is_silent(&self) -> bool {
        (self.mechanism.build)(Spec { node: 0, scale: 1.0 }).is_silent()
    }
}

/// Everything that follows from the wish, for one algorithm.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) wish: Wish,
    pub(super) gain: f64,
    pub(super) scale: f64,
    shares: Option<Vec<f64>>,
}

impl Plan {
    /// The plan of an algorithm that multiplies gradients by `gain` before it releases them: `n` for those that
    /// average over nodes, 1 for the others. `level` means the same signal-to-noise ratio for all: the noise on a
    /// gradient times `gain` has scale `gain / (n level)`.
    pub fn new(wish: Wish, gain: f64, blocks: &Blocks) -> Self {
        let n = blocks.nodes() as f64;
        let share = |size: usize, clip: f64| clip * size as f64 / blocks.dim() as f64;
        let shares = wish.clip.map(|clip| blocks.sizes().into_iter().map(|size| share(size, clip)).collect());
        Self { wish, gain, scale: gain / (n * wish.level), shares }
    }

    /// Where noise goes.
    pub fn noise(&self) -> Noise {
        self.wish.noise
    }

    /// What decisions are computed from.
    pub fn decide(&self) -> Decide {
        self.wish.decide
    }

    /// The scale of the noise on what is released.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// How far one round can move what node `i` releases, in L1: replacing a clipped gradient by another.
    pub fn sensitivity(&self, i: usize) -> Option<f64> {
        self.shares.as_ref().map(|shares| sensitivity(shares[i], self.gain))
    }

    /// What one event costs at node `i`, by one release.
    pub fn cost(&self, i: usize) -> Cost {
        self.mechanism(i).cost(self.sensitivity(i))
    }

    /// What one event costs at all nodes together.
    pub fn joint_cost(&self) -> Cost {
        let nodes = self.shares.as_ref().map_or(1, Vec::len);
        (0..nodes).map(|i| self.cost(i)).fold(Cost::default(), Cost::and)
    }

    pub(super) fn mechanism(&self, i: usize) -> Box<dyn Mechanism> {
        (self.wish.mechanism.build)(Spec { node: i, scale: self.scale })
    }

    /// The guard of node `i`.
    pub fn guard(&self, i: usize, seed: Seed) -> Guard {
        let clip = self.shares.as_ref().map(|shares| shares[i]);
        Guard::new(i, clip, self.gain, self.mechanism(i), seed)
    }

    /// Epsilon of one round's replacement against all links and all decisions over the whole run, if there is one.
    pub fn epsilon(&self) -> Option<f64> {
        (self.wish.decide == Decide::Published).then(|| self.joint_cost().as_epsilon()).flatten()
    }
}

/// Replacing one vector of L1 norm at most `clip` by another, times `gain`.
pub(super) fn sensitivity(clip: f64, gain: f64) -> f64 {
    2.0 * gain * clip
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::mechanism::MECHANISMS;

    fn wish(mechanism: &str, level: f64, clip: Option<f64>, decide: Decide) -> Wish {
        let mechanism = crate::catalog::find(MECHANISMS, "privacy.mechanism", mechanism).unwrap();
        Wish { mechanism, level, clip, noise: Noise::Own, decide }
    }

    #[test]
    fn level_buys_the_same_epsilon_whether_or_not_gradients_are_multiplied_by_n() {
        let blocks = Blocks::even(21, 7).unwrap();
        let wish = wish("laplace", 0.5, Some(1.0), Decide::Published);
        let (gossip, relay) = (Plan::new(wish, 7.0, &blocks), Plan::new(wish, 1.0, &blocks));
        assert_eq!((gossip.scale(), relay.scale()), (2.0, 2.0 / 7.0));
        // eps = sum_i 2 n C_i / b_i = 2 n C level
        for plan in [gossip, relay] {
            assert!((plan.epsilon().unwrap() - 7.0).abs() < 1e-4, "{:?}", plan.epsilon());
        }
    }

    #[test]
    fn no_bound_no_epsilon() {
        let blocks = Blocks::even(21, 7).unwrap();
        for (name, clip, decide) in [
            ("laplace", None, Decide::Published),
            ("laplace", Some(1.0), Decide::Private),
            ("none", Some(1.0), Decide::Published),
        ] {
            assert_eq!(
                Plan::new(wish(name, 1.0, clip, decide), 7.0, &blocks).epsilon(),
                None,
                "{name} {clip:?}"
            );
        }
    }
}
