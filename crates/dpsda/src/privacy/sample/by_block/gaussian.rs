//! The discrete Gaussian law.
//!
//! Propose y from the discrete Laplace law of scale s and keep it with probability exp(-(|y| - s)^2 / (2 s^2)), else
//! propose again. As |y|/s + (|y| - s)^2/(2 s^2) = y^2/(2 s^2) + 1/2, what is kept has a law proportional to
//! exp(-|y|/s) exp(-(|y| - s)^2/(2 s^2)), hence to exp(-y^2/(2 s^2)): the factor exp(-1/2) is the same for all y. About
//! three in four are kept (exp(-1/2) sqrt(pi/2) = 0.760 for large s).
//!
//! The first word of an attempt is the proposal's. The second, but for its last bit, begins a uniform U, and y is kept if
//! U < exp(-z), z = (|y| - s)^2/(2 s^2). `exp.rs` decides that exactly, which defines a draw.
//!
//! **Lemma.** Where `attempt` does not say `OPEN`, its answer is that of `exactly`. *Proof.* U < exp(-z) says -ln U > z. Let
//! u = 2^-53 and x be as for the discrete Laplace law, with x > u. The computed -ln x is off by at most 5.5 u/x from -ln U, as there.
//! |y| - s is exact, and its product with the rounded 1/s off by 2 u of itself; so z, computed with three roundings more, is
//! off by 6 u of itself. Their difference is rounded by at most u (-ln x + z), which makes 6.6 u/x + 7.1 u z. The margin is
//! 16 u 2^-k + 8 u z, off by 3 u of itself, and 2^-k >= 0.7/x: it is larger. So a difference beyond the margin has the right
//! sign.

use rand::Rng;

use super::super::log::{middle, minus_ln_and_power, whole};
use super::super::real::Real;
use super::laplace::{LaplaceSize, signed};
use super::{BlockLaplace, BlockLaw, DrawFate, OPEN, REFUSED};

/// `P(k)` proportional to exp(-k^2/(2 sigma^2)), on all integers.
pub(in super::super) struct BlockGaussian {
    sigma: u64,
    real: f64,
    /// 1/sigma, rounded.
    inverse: f64,
    proposal: BlockLaplace,
}

impl BlockGaussian {
    /// Sigma is from 1 to [`MAX_BLOCK_SCALE`](super::MAX_BLOCK_SCALE).
    pub(in super::super) fn new(sigma: u64) -> Self {
        let real = sigma as f64;
        Self { sigma, real, inverse: 1.0 / real, proposal: BlockLaplace::new(sigma) }
    }

    pub(in super::super) fn add_to<R: Rng + ?Sized>(&self, values: &mut [i64], rng: &mut R) {
        super::add_to(self, values, rng);
    }
}

impl BlockLaw for BlockGaussian {
    const WORDS: usize = 2;

    #[inline(always)]
    fn attempt(&self, first: u64, second: u64) -> (i64, DrawFate) {
        let LaplaceSize { m, open } = self.proposal.size(first);
        let (draw, minus_zero) = signed(whole(m), first);
        let g = (m - self.real) * self.inverse;
        let z = 0.5 * (g * g);
        let (e, power) = minus_ln_and_power(middle(second));
        let (over, margin) = (e - z, (8.0 * f64::EPSILON) * power + (4.0 * f64::EPSILON) * z);
        let (kept, refused) = (over > margin, over < -margin);
        let open = open | (kept == refused) | (second >> 12 == 0);
        (draw, (u64::from(minus_zero | refused) * REFUSED) | (u64::from(open) * OPEN))
    }

    fn exactly<R: Rng + ?Sized>(&self, first: u64, second: u64, rng: &mut R) -> Option<i64> {
        let draw = self.proposal.exactly(first, 0, rng)?;
        let distance = draw.unsigned_abs().abs_diff(self.sigma);
        let z = [(distance, self.sigma), (distance, self.sigma), (1, 2)];
        Real::new(second >> 1).is_below_exp_minus(&z, rng).then_some(draw)
    }
}
