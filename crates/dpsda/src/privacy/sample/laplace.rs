//! The discrete Laplace law, and which sampler draws it.

use rand::Rng;

use super::MAX_SCALE;
use super::by_block::{BlockLaplace, MAX_BLOCK_SCALE};
use super::by_word::WordLaplace;
use crate::rng::{Stream, Words};

/// `P(k)` proportional to exp(-|k|/scale), on all integers. A value with L1 sensitivity `d` costs `d/scale`.
///
/// ```
/// use dpsda::privacy::sample::LaplaceSampler;
/// use dpsda::rng::{Purpose, Seed};
/// let draw = LaplaceSampler::new(10).sample(&mut Seed::new(1).stream(Purpose::Noise, 0, 0));
/// assert!(draw.abs() < 400); // exceeded with probability exp(-40)
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaplaceSampler {
    scale: u64,
}

impl LaplaceSampler {
    /// The scale is brought into `1..=MAX_SCALE`; [`LaplaceSampler::scale`] says what it became.
    pub fn new(scale: u64) -> Self {
        Self { scale: scale.clamp(1, MAX_SCALE) }
    }

    /// The scale it draws with.
    pub fn scale(&self) -> u64 {
        self.scale
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
        if self.scale <= MAX_BLOCK_SCALE {
            BlockLaplace::new(self.scale).add_to(values, rng);
        } else {
            WordLaplace::new(self.scale).add_to(values, rng);
        }
    }

    /// Adds the noise of a stream. With old rules it is drawn as it was then.
    pub(crate) fn noise(&self, values: &mut [i64], stream: &mut Stream) {
        match stream.words() {
            Words::First(words) => WordLaplace::new(self.scale).add_to(values, words),
            Words::Newest(words) => self.add_to(values, words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    #[test]
    fn a_scale_is_between_one_and_two_to_the_48() {
        assert_eq!([0, 7, u64::MAX].map(|s| LaplaceSampler::new(s).scale()), [1, 7, MAX_SCALE]);
    }

    #[test]
    fn sums_saturate_at_both_ends() {
        for scale in [MAX_BLOCK_SCALE, MAX_SCALE] {
            let mut values = [i64::MAX, i64::MIN].repeat(50);
            LaplaceSampler::new(scale).add_to(&mut values, &mut Seed::default().stream(Purpose::Noise, 0, 0));
            assert!(values.iter().step_by(2).all(|v| *v > 0));
            assert!(values.iter().skip(1).step_by(2).all(|v| *v < 0));
            assert!(values.contains(&i64::MAX) && values.contains(&i64::MIN));
        }
    }
}
