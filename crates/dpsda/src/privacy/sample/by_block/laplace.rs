//! The discrete Laplace law, by inversion.
//!
//! 1. For a uniform U, E = -ln U is exponential: P(E >= x) = P(U <= exp(-x)) = exp(-x).
//! 2. M = floor(t E) is geometric: P(M >= m) = P(E >= m/t) = exp(-m/t).
//! 3. With an independent fair sign, k != 0 comes with probability P(M = |k|)/2, plus zero and minus zero each with
//!    P(M = 0)/2. Without minus zero that leaves every k proportional to P(M = |k|), which is to exp(-|k|/t).
//!
//! The lowest bit of a word is the sign, the others are the first 63 bits of U. M >= m says U <= exp(-m/t), so M is found
//! exactly by asking `exp.rs` about integers m. That is what `exactly` does, and what defines a draw. All else saves time:
//!
//! **Lemma.** Where `attempt` does not say `OPEN`, its answer is that of `exactly`. *Proof.* Let u = 2^-53, and x the middle of
//! the numbers that begin with the first 52 bits, an odd multiple of u. If x = u, the power is 2^53 and the slack 16 t: more
//! than one integer lies in y - slack, ..., y + slack, and the attempt is open. Else x >= 3 u and U >= x - u >= 2 x/3, so
//! |ln U - ln x| <= u/(x - u) <= 1.5 u/x. The computed logarithm is off by 4 u/x (`log.rs`), and its product with t by
//! u t (-ln x + 4 u/x) more, which is below 1.1 u t/x. So |y - t E| < 6.6 u t/x. Subtracting the slack rounds by at most
//! u (y + slack), below 1.1 u t/x. The slack is 16 u t 2^-k, off by 2 u of itself, and with 2^-k >= 0.7/x it is above
//! 11 u t/x: t E lies between the computed y - slack and y + slack. If both have the same floor, it is M. Scales are at most 2^36
//! and y below 2^42, so integers and their sums with 2^52 are exact.

use rand::Rng;

use super::super::log::{middle, minus_ln, minus_ln_and_power, whole};
use super::super::real::Real;
use super::{BlockLaw, DrawFate, OPEN, REFUSED};

/// `P(k)` proportional to exp(-|k|/scale), on all integers.
pub(in super::super) struct BlockLaplace {
    scale: u64,
    real: f64,
}

/// The geometric part of an attempt, as far as it is certain.
pub(super) struct LaplaceSize {
    /// M, if it is not open.
    pub(super) m: f64,
    pub(super) open: bool,
}

impl BlockLaplace {
    /// A scale from 1 to [`MAX_BLOCK_SCALE`](super::MAX_BLOCK_SCALE).
    pub(in super::super) fn new(scale: u64) -> Self {
        Self { scale, real: scale as f64 }
    }

    pub(in super::super) fn add_to<R: Rng + ?Sized>(&self, values: &mut [i64], rng: &mut R) {
        super::add_to(self, values, rng);
    }

    #[inline(always)]
    pub(super) fn size(&self, word: u64) -> LaplaceSize {
        let (e, power) = minus_ln_and_power(middle(word));
        let (y, slack) = (self.real * e, self.real * (8.0 * f64::EPSILON) * power);
        let (low, high) = ((y - slack).floor(), (y + slack).floor());
        LaplaceSize { m: low, open: low != high }
    }

    /// M exactly: the largest m with U <= exp(-m/t). Any guess would do; a good one needs few questions.
    fn exact_size<R: Rng + ?Sized>(&self, word: u64, rng: &mut R) -> u64 {
        let mut u = Real::new(word >> 1);
        let mut reaches = |m: u64| m == 0 || u.is_below_exp_minus(&[(m, self.scale)], rng);
        let guess = (self.real * minus_ln(middle(word))) as u64;
        let (mut low, mut step) = (guess, 1);
        while !reaches(low) {
            low = low.saturating_sub(step);
            step *= 2;
        }
        let mut high = low + 1;
        step = 1;
        while high <= i64::MAX as u64 && reaches(high) {
            (low, high) = (high, high.saturating_add(step));
            step *= 2;
        }
        while high - low > 1 {
            let middle = low.midpoint(high);
            if reaches(middle) { low = middle } else { high = middle }
        }
        low
    }
}

/// A size with its sign, and whether it is minus zero.
#[inline(always)]
pub(super) fn signed(size: u64, word: u64) -> (i64, bool) {
    let negative = word & 1;
    let draw = (size ^ negative.wrapping_neg()).wrapping_add(negative) as i64;
    (draw, (negative == 1) & (size == 0))
}

impl BlockLaw for BlockLaplace {
    const WORDS: usize = 1;

    #[inline(always)]
    fn attempt(&self, word: u64, _: u64) -> (i64, DrawFate) {
        let LaplaceSize { m, open } = self.size(word);
        let (draw, minus_zero) = signed(whole(m), word);
        (draw, (u64::from(minus_zero) * REFUSED) | (u64::from(open) * OPEN))
    }

    fn exactly<R: Rng + ?Sized>(&self, word: u64, _: u64, rng: &mut R) -> Option<i64> {
        let size = self.exact_size(word, rng).min(i64::MAX as u64);
        let (draw, minus_zero) = signed(size, word);
        (!minus_zero).then_some(draw)
    }
}
