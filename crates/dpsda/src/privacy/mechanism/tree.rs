//! Noise on dyadic sums of releases: the binary tree (Dwork et al. 2010, Chan et al. 2011), in integers throughout.
//!
//! Count releases from 1. Node `t` of the tree covers the releases `(t - l, t]`, where `l = lowbit(t)` is the largest power
//! of two that divides `t`. Its noise `w(t)` is an independent discrete Gaussian per coordinate, drawn when release `t`
//! completes it. The binary digits of `t` cut `(0, t]` into covered intervals, so with
//!
//! ```text
//! N(t) = w(t) + N(t - lowbit(t)),  N(0) = 0          at most log2(t) + 1 terms
//! v(t) = a(t) + N(t) - N(t-1)                        what is released instead of a(t)
//! ```
//!
//! the sum of the first `t` releases is off by `N(t)`, whose variance is `sigma^2` times the number of ones in `t`. One
//! buffer per level holds what is needed of the past. (The nodes are those of a Fenwick tree: the ones that no prefix uses do
//! not exist.)
//!
//! **Postcondition.** One who moves one release by at most `s` units in L2 is protected by `(floor(log2 T) + 1) s^2/(2
//! sigma^2)`-zCDP over all releases of a horizon `T`, rounded up to a thousand-millionth; values may depend on everything
//! released before.
//!
//! **Lemma.** Let `v(t)` be, given all earlier releases, a discrete Gaussian of deviation `sigma` around `m(t)` in one world
//! and around `m'(t)` in the other, where both centres are integer vectors determined by the earlier releases. If `sum_t
//! |m(t) - m'(t)|^2 <= S` whatever is released, then all releases together are `S/(2 sigma^2)`-zCDP. *Proof.* Let `p`, `q` be
//! the laws, `alpha > 1` and `e = m - m'`. Given the past, `E_q[(p/q)^alpha] <= exp(alpha (alpha-1) |e(t)|^2/(2 sigma^2))`,
//! the price of one release (see `discrete_gaussian`), and `e(t)` is known. So `(p/q)^alpha` over the first `t` releases,
//! times `exp(-alpha (alpha-1) sum_{i<=t} |e(i)|^2/(2 sigma^2))`, is a supermartingale under `q` that starts at 1, and
//! `E_q[(p/q)^alpha] <= exp(alpha (alpha-1) S/(2 sigma^2))` at the end. This is what makes correlated noise safe when values
//! depend on earlier releases (Denisov et al. 2022).
//!
//! **Proof.** `N(t) - N(t - l) = w(t)`, so summing `v` over node `t` gives `y(t) = (sum of a over the node) + w(t)`. From the
//! releases before `t`, `v(t)` gives `y(t)` and back, by adding what is known: `y` says what `v` says, and `y(t)` is a
//! discrete Gaussian given the past, for `w(t)` is fresh. Worlds that differ in release `t0` have, after the same past, the
//! same `a(t)` for all `t != t0`, since those are computed from releases. So the centres differ in the nodes over `t0` alone,
//! by at most `s`. These nodes have different sizes `2^j <= T`; there are at most `floor(log2 T) + 1`, and release 1 has as
//! many. The lemma ends it.
//!
//! One who is in `k` rounds moves node `t` by at most `s c(t)`, where `c(t)` of the `k` are in the node. Nodes of size `2^j`
//! do not overlap, so at each level `sum c(t)^2` is largest when whole nodes are filled, and [`Exact::cost`] adds that up
//! over levels. For `k = 1` and `k = T` there is no slack in it.
//!
//! Past the horizon a new tree begins, with fresh noise: the price of one event stays what it was, and the prefix pays for
//! both. Noise beyond 63 bits would be held there, which is a function of what would have been released; it cannot happen at
//! any scale that a plan takes. The kept noise is a secret of its host: with it, a release tells the value.

use super::{Build, Exact, Mechanism, Order, PastNoise, Variance, Variances};
use crate::catalog::Listing;
use crate::privacy::Price;
use crate::privacy::clip::Norm;
use crate::privacy::sample::GaussianSampler;
use crate::rng::Stream;

/// A binary tree of discrete Gaussians: noise that cancels over time, exactly integral.
///
/// ```
/// use dpsda::privacy::{Mechanism, mechanism::Tree};
/// assert_eq!(Mechanism::from(Tree).name(), "tree");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Tree;

impl From<Tree> for Mechanism {
    fn from(Tree: Tree) -> Self {
        Self::exact(LISTING.name, Norm::L2, TreeNoise::new).correlated()
    }
}

/// `tree`
pub const LISTING: Listing<Build> = Listing {
    name: "tree",
    about: "binary tree of discrete Gaussians: noise that cancels over time, zCDP, for dpsda-r and dpcda",
    keys: &[],
    build: |_| Ok(Tree.into()),
};

struct TreeNoise {
    law: GaussianSampler,
    sigma: u64,
    /// T.
    horizon: u64,
    /// Releases so far.
    done: u64,
    /// The noise of the latest node of size `2^j`, for every level `j`.
    levels: Vec<Vec<i64>>,
}

impl TreeNoise {
    fn new(Order { scale, rounds, .. }: Order<u64>) -> Self {
        let law = GaussianSampler::new(scale);
        Self { law, sigma: law.sigma(), horizon: rounds.max(1), done: 0, levels: Vec::new() }
    }

    /// The largest sum over nodes of `c(t)^2` when `times` rounds are spread over the trees there are, and the next release.
    fn squares(&self, times: u64) -> u128 {
        let trees = self.done.saturating_add(1).max(times).div_ceil(self.horizon);
        let level = |j: u32| {
            let nodes = u128::from(trees) * u128::from((self.horizon >> j).div_ceil(2)); // odd multiples of 2^j up to T
            let (full, rest) = (u128::from(times >> j), u128::from(times % (1 << j)));
            let part = if full < nodes { rest.pow(2) } else { 0 };
            full.min(nodes).saturating_mul(1 << (2 * j)).saturating_add(part)
        };
        (0..=self.horizon.ilog2()).map(level).fold(0, u128::saturating_add)
    }
}

impl Exact for TreeNoise {
    fn perturb(&mut self, value: &mut [i64], stream: &mut Stream) {
        let t = self.done % self.horizon + 1;
        self.done = self.done.saturating_add(1);
        let level = t.trailing_zeros() as usize;
        if self.levels.len() <= level {
            self.levels.resize(level + 1, Vec::new());
        }
        let mut fresh = vec![0; value.len()];
        self.law.noise(&mut fresh, stream);
        for (k, (value, fresh)) in value.iter_mut().zip(&fresh).enumerate() {
            // N(t-1) and N(t) share all nodes but those that node t swallows: one of each lower level.
            let swallowed = self.levels.iter().take(level).filter_map(|node| node.get(k));
            let noise = i128::from(*fresh) - swallowed.map(|w| i128::from(*w)).sum::<i128>();
            *value = (i128::from(*value) + noise).clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        }
        if let Some(node) = self.levels.get_mut(level) {
            *node = fresh;
        }
    }

    fn keep(&self) -> PastNoise {
        let level = |level: &Vec<i64>| level.iter().map(|w| i128::from(*w)).collect();
        PastNoise { done: self.done, noise: self.levels.iter().map(level).collect() }
    }

    fn resume(&mut self, kept: PastNoise) -> bool {
        let level =
            |level: Vec<i128>| level.into_iter().map(|w| i64::try_from(w).ok()).collect::<Option<_>>();
        let levels: Option<Vec<Vec<i64>>> = kept.noise.into_iter().map(level).collect();
        let most = (kept.done.min(self.horizon)).checked_ilog2().map_or(0, |top| top as usize + 1);
        let Some(levels) = levels.filter(|levels| levels.len() == most) else { return false };
        (self.done, self.levels) = (kept.done, levels);
        true
    }

    fn cost(&self, moved: u64, times: u64) -> Price {
        let squares = self.squares(times);
        let exact = u128::from(moved).pow(2).checked_mul(squares).map(|s| Price::gaussian(s, self.sigma));
        match exact {
            Some(cost @ Price::Zcdp { .. }) => cost,
            // Too large for integers: six roundings of 2^-53 and a margin for a hundred.
            _ => {
                let ratio = moved as f64 / self.sigma as f64;
                Price::rho(squares as f64 * ratio * ratio / 2.0 * (1.0 + 1e-14))
            }
        }
    }

    fn log_likelihood(&self, noise: &[Vec<i64>]) -> f64 {
        let node = |tree: &[Vec<i64>], t: usize| {
            let covered = &tree[t - (1 << t.trailing_zeros())..t];
            let size = covered.iter().map(Vec::len).max().unwrap_or(0);
            let w = |k: usize| {
                covered.iter().filter_map(|v| v.get(k)).map(|v| i128::from(*v)).sum::<i128>() as f64
            };
            (0..size).map(|k| w(k).powi(2)).sum::<f64>()
        };
        let horizon = usize::try_from(self.horizon).unwrap_or(usize::MAX);
        let squares: f64 =
            noise.chunks(horizon).flat_map(|tree| (1..=tree.len()).map(move |t| node(tree, t))).sum();
        -squares / (2.0 * (self.sigma as f64).powi(2))
    }

    /// The root of the number of nodes in the prefix.
    fn prefix_deviation(&self, rounds: u64) -> f64 {
        let ones = |t: u64| f64::from(t.count_ones());
        let (trees, rest) = (rounds / self.horizon, rounds % self.horizon);
        self.sigma as f64 * (trees as f64 * ones(self.horizon) + ones(rest)).sqrt()
    }

    /// Release `t` brings the noise of its own node, and takes back that of one node of each lower level.
    fn variances(&self) -> Option<Variances> {
        let (horizon, square) = (self.horizon, self.sigma as f64 * self.sigma as f64);
        let whole = f64::from(horizon.count_ones());
        let variance = move |done: u64| {
            let (trees, t) = (done / horizon, done % horizon + 1);
            let nodes = trees as f64 * whole + f64::from(t.count_ones());
            Variance { release: square * f64::from(t.trailing_zeros() + 1), sum: square * nodes }
        };
        Some(Box::new((0..).map(variance)))
    }
}

#[cfg(test)]
mod tests;
