//! The weights of the leaky sums, and the norms that price them.

use std::f64::consts::{LN_2, PI};

/// Fractional bits of all weights and sums.
pub(super) const BITS: u32 = 32;
/// A longer horizon is cut: sums stay within 128 bits, and norms take milliseconds.
pub(super) const LONGEST: u64 = 1 << 20;

/// `p_k = sum_j share_j keep_j^k` with what is missing to `p_0 = 1` at `keep = 0`: the weight in `N(t)` of `w(t-k)`.
#[derive(Clone)]
pub(super) struct Kernel {
    /// T.
    pub(super) horizon: u64,
    pub(super) modes: Vec<Mode>,
}

/// One leaky sum; both numbers are integers over `2^BITS`, and both are above 0.
#[derive(Clone, Copy)]
pub(super) struct Mode {
    /// What is left of the sum after a round: theta.
    pub(super) keep: u64,
    /// Its weight: kappa.
    pub(super) share: u64,
}

impl Kernel {
    /// The coefficients of `(1-x)^(-1/2)` are `1/pi` times the integral of `theta^k theta^(-1/2) (1-theta)^(-1/2)` over
    /// `(0, 1)`. In the logarithm of the odds `theta/(1-theta)` the integrand is smooth and falls off on both sides, and the
    /// trapezoidal rule converges geometrically: odds a factor of 16 apart leave 2e-3. The slowest sum has odds `2T`, and
    /// 1.4 times its weight for all that are slower still; odds below 1/4 are left to `keep = 0`. Found by a search over these
    /// constants; a test holds the product of the norms to within 1% of the square root's at any horizon.
    ///
    /// Only operations that IEEE 754 rounds correctly, so that the weights are the same everywhere.
    pub(super) fn new(horizon: u64) -> Self {
        let horizon = horizon.clamp(1, LONGEST);
        let slowest = 2.0 * horizon as f64;
        let odds =
            std::iter::successors(Some(slowest), |odds| Some(odds / 16.0)).take_while(|odds| *odds > 0.25);
        let one = (1_u64 << BITS) as f64;
        let mode = |odds: f64| {
            let slower = if odds == slowest { 1.4 } else { 1.0 };
            let share = slower * (4.0 * LN_2 / PI) * odds.sqrt() / (1.0 + odds);
            Mode { keep: (one * (odds / (1.0 + odds))).round() as u64, share: (one * share).floor() as u64 }
        };
        Self { horizon, modes: odds.map(mode).collect() }
    }

    /// Weights as reals: `(keep, share)`, exactly.
    fn reals(&self) -> impl Iterator<Item = (f64, f64)> {
        let one = (1_u64 << BITS) as f64;
        self.modes.iter().map(move |mode| (mode.keep as f64 / one, mode.share as f64 / one))
    }

    /// `p_0, p_1, ...` up to the horizon: what is left in `N(t)` of noise that was drawn `k` rounds ago.
    pub(super) fn prefix(&self) -> impl Iterator<Item = f64> + use<> {
        let mut terms: Vec<(f64, f64)> = self.reals().collect();
        let later = (1..self.horizon).map(move |_| {
            terms.iter_mut().fold(0.0, |sum, (keep, term)| {
                *term *= *keep;
                sum + *term
            })
        });
        std::iter::once(1.0).chain(later)
    }

    /// `f_0, f_1, ...` up to the horizon: a column of `F`. From `f = 1 + q f` with `q_k = p_{k-1} - p_k >= 0`, so that no step
    /// subtracts, and the relative error grows by at most `m + 4` roundings per round.
    pub(super) fn column(&self) -> impl Iterator<Item = f64> {
        let at_once = 1.0 - self.reals().map(|(_, share)| share).sum::<f64>();
        let mut sums: Vec<_> = self.reals().map(|(keep, share)| (keep, share * (1.0 - keep), 0.0)).collect();
        let later = move |last: &f64| {
            let next = sums.iter_mut().fold(at_once * last, |next, (keep, weight, sum)| {
                *sum = *sum * *keep + last;
                next + *sum * *weight
            });
            Some(next)
        };
        std::iter::successors(Some(1.0), later).take(self.horizon as usize)
    }

    /// Above `1 +` the relative error of any norm computed here: `m <= 7` and a square doubles the error.
    fn margin(&self) -> f64 {
        1.0 + (self.horizon as f64 + 64.0) * (-47_f64).exp2()
    }

    /// `|F column|`, rounded up: how far one unit, once, moves all that is drawn.
    pub(super) fn once(&self) -> f64 {
        self.column().map(|f| f * f).sum::<f64>().sqrt() * self.margin()
    }

    /// `|F 1_[0,k)|` for `k = 1, 2, 4, ...` until all rounds are in, rounded up: how far one unit in each of `k` rounds does.
    pub(super) fn often(&self) -> Vec<f64> {
        let mut sums: Vec<f64> = self.column().collect();
        let norm = |sums: &[f64]| sums.iter().map(|f| f * f).sum::<f64>().sqrt() * self.margin();
        let (mut norms, mut k) = (vec![norm(&sums)], 1);
        while k < sums.len() {
            for t in (k..sums.len()).rev() {
                sums[t] += sums[t - k]; // sums of 2k from sums of k
            }
            norms.push(norm(&sums));
            k *= 2;
        }
        norms
    }

    /// How far rounding can move what is drawn after the round of an event, in `size` coordinates: `|G|_1 |r|`, where `|G|_1`
    /// is at most 2, and an entry of `r` is at most 1 from the prefix and `2^-BITS` per round and sum from the leaky sums.
    pub(super) fn slack(&self, size: usize) -> f64 {
        let entry = 1.0 + (self.horizon as f64 + self.modes.len() as f64) / (1_u64 << BITS) as f64;
        2.0 * entry * ((self.horizon - 1) as f64 * size as f64).sqrt() * self.margin()
    }
}
