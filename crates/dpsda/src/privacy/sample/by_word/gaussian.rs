//! The discrete Gaussian law.
//!
//! Propose y from the discrete Laplace law of scale s and keep it with probability exp(-(|y| - s)^2 / (2 s^2)), else
//! propose again. As |y|/s + (|y| - s)^2/(2 s^2) = y^2/(2 s^2) + 1/2, what is kept has a law proportional to
//! exp(-|y|/s) exp(-(|y| - s)^2/(2 s^2)), hence to exp(-y^2/(2 s^2)): the factor exp(-1/2) is the same for all y. About
//! three in four are kept (exp(-1/2) sqrt(pi/2) = 0.760 for large s).

use rand::Rng;

use super::WordLaplace;
use super::bernoulli::{coin_and_below, exp_minus};

/// `P(k)` proportional to exp(-k^2/(2 sigma^2)), on all integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct WordGaussian {
    sigma: u64,
    proposal: WordLaplace,
}

impl WordGaussian {
    /// Sigma is brought into `1..=MAX_SCALE`; `sigma` says what it became.
    pub(in super::super) fn new(sigma: u64) -> Self {
        let proposal = WordLaplace::new(sigma);
        Self { sigma: proposal.scale(), proposal }
    }

    /// A draw.
    #[inline]
    pub(in super::super) fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
        loop {
            let y = self.proposal.sample(rng);
            if self.keeps(y.unsigned_abs().abs_diff(self.sigma), rng) {
                return y;
            }
        }
    }

    /// Adds a draw to each value, the same as `sample` would give one after the other. Sums saturate.
    pub(in super::super) fn add_to<R: Rng + ?Sized>(&self, values: &mut [i64], rng: &mut R) {
        values.iter_mut().for_each(|v| *v = v.saturating_add(self.sample(rng)));
    }

    /// True with probability exp(-g^2/2) for g = distance/sigma.
    ///
    /// With g = a + b, a its whole part, that is exp(-1/2) to the power a^2, times exp(-b) to the power a, times
    /// exp(-b^2/2). An event of probability 1/2 is a coin, one of probability b is a uniform that falls below, and
    /// independent ones multiply. The first that does not happen ends it, so a^2 may be large.
    #[inline]
    fn keeps<R: Rng + ?Sized>(&self, distance: u64, rng: &mut R) -> bool {
        let (a, b) = (u128::from(distance / self.sigma), distance % self.sigma);
        let uniform = |rng: &mut R| coin_and_below(self.sigma, rng);
        (0..a * a).all(|_| exp_minus(rng, |rng| uniform(rng).0))
            && (0..a).all(|_| exp_minus(rng, |rng| uniform(rng).1 < b))
            && exp_minus(rng, |rng| matches!(uniform(rng), (true, u) if u < b) && uniform(rng).1 < b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    #[test]
    fn a_proposal_is_kept_with_the_probability_of_the_proof_near_and_far() {
        let mut rng = Seed::default().stream(Purpose::Noise, 0, 0);
        let n = 400_000;
        for (sigma, distance) in
            [(1, 0), (1, 1), (1, 2), (10, 3), (10, 10), (10, 17), (1000, 1), (1000, 2345), (3, 8)]
        {
            let law = WordGaussian::new(sigma);
            let kept = (0..n).filter(|_| law.keeps(distance, &mut rng)).count();
            let p = (-(distance as f64 / sigma as f64).powi(2) / 2.0).exp();
            // Five standard errors: a false alarm of 6e-7 each, were the seed not fixed.
            let slack = 5.0 * (p * (1.0 - p) / f64::from(n)).sqrt();
            assert!(
                (kept as f64 / f64::from(n) - p).abs() <= slack,
                "{distance}/{sigma}: {kept} of {n}, not {p}"
            );
        }
    }

    #[test]
    fn the_largest_distance_is_refused_and_not_counted_out() {
        let law = WordGaussian::new(1);
        assert!(!law.keeps(1 << 63, &mut Seed::default().stream(Purpose::Noise, 0, 0)));
    }
}
