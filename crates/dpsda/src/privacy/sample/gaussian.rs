//! The discrete Gaussian law, and which sampler draws it.

use rand::Rng;

use super::MAX_SCALE;
use super::by_block::{BlockGaussian, MAX_BLOCK_SCALE};
use super::by_word::WordGaussian;
use crate::rng::{Stream, Words};

/// `P(k)` proportional to exp(-k^2/(2 sigma^2)), on all integers. A value with L2 sensitivity `d` costs
/// `d^2/(2 sigma^2)` of zCDP (Canonne, Kamath and Steinke 2020).
///
/// ```
/// use dpsda::privacy::sample::GaussianSampler;
/// use dpsda::rng::{Purpose, Seed};
/// let draw = GaussianSampler::new(10).sample(&mut Seed::new(1).stream(Purpose::Noise, 0, 0));
/// assert!(draw.abs() < 100); // ten standard deviations
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GaussianSampler {
    sigma: u64,
}

impl GaussianSampler {
    /// Sigma is brought into `1..=MAX_SCALE`; [`GaussianSampler::sigma`] says what it became.
    pub fn new(sigma: u64) -> Self {
        Self { sigma: sigma.clamp(1, MAX_SCALE) }
    }

    /// The sigma it draws with.
    pub fn sigma(&self) -> u64 {
        self.sigma
    }

    /// A draw.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
        let mut noise = [0];
        self.add_to(&mut noise, rng);
        let [noise] = noise;
        noise
    }

    /// Adds a draw to each value. Sums saturate. Many at once are much faster than one by one.
    pub fn add_to<R: Rng + ?Sized>(&self, values: &mut [i64], rng: &mut R) {
        if self.sigma <= MAX_BLOCK_SCALE {
            BlockGaussian::new(self.sigma).add_to(values, rng);
        } else {
            WordGaussian::new(self.sigma).add_to(values, rng);
        }
    }

    /// Adds the noise of a stream. With old rules it is drawn as it was then.
    pub(crate) fn noise(&self, values: &mut [i64], stream: &mut Stream) {
        match stream.words() {
            Words::First(words) => WordGaussian::new(self.sigma).add_to(values, words),
            Words::Newest(words) => self.add_to(values, words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sigma_is_between_one_and_two_to_the_48() {
        assert_eq!([0, 7, u64::MAX].map(|s| GaussianSampler::new(s).sigma()), [1, 7, MAX_SCALE]);
    }
}
