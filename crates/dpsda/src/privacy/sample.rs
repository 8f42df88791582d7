//! Noise on the integers: exact samplers of the discrete Laplace and the discrete Gaussian law.
//!
//! **Postcondition.** If the generator's bits are fair and independent, then draws are independent and
//!
//! ```text
//! LaplaceSampler::new(t):     P(k) = exp(-|k|/t)       / (the sum of that over all integers)
//! GaussianSampler::new(s):    P(k) = exp(-k^2/(2 s^2)) / (the sum of that over all integers)
//! ```
//!
//! for every integer k, with equality and not up to rounding: every decision compares integers, no number is a float,
//! no remainder is biased, and where the bits at hand do not decide, more are drawn until they do.
//!
//! **Proof**, in four steps, each beside the code it is about:
//!
//! 1. `sample/real.rs`: a `Real` is a uniform real number of which only the bits that matter are ever drawn. Comparing
//!    two and rounding a multiple down are exact, so `floor(n U)` is uniform on `0, ..., n-1`.
//! 2. `sample/bernoulli.rs`: `exp_minus` makes an event of probability exp(-z) from one of probability z.
//! 3. `sample/laplace.rs`: 1 and 2 make an exponential variable; a multiple of it, rounded down, is geometric; a fair
//!    sign, where minus zero is drawn again, makes that discrete Laplace.
//! 4. `sample/gaussian.rs`: thinned by 2 it is discrete Gaussian.
//!
//! The method is that of Canonne, Kamath and Steinke, *The discrete Gaussian for differential privacy* (2020), with the
//! real numbers of Karney, *Sampling exactly from the normal distribution* (2016), in the place of its geometric loop.
//!
//! **What an `i64` cuts off.** A draw of 2^63 or more in size saturates. Scales are at most 2^48, so that happens with
//! probability at most exp(-2^15), which is below 2^-47000. It is not
//! post-processing (the draw is cut before it is added), so strictly every guarantee made with these draws holds up to a
//! delta of that size, which is left out everywhere. Cutting the sum, as `add_to` does too, is post-processing.
//!
//! **What is not promised.** Constant time: how long a draw takes and how many words it uses depend on its value, which
//! someone who times single draws can exploit (Jin et al., *Are we there yet? Timing and floating-point attacks on
//! differential privacy systems*, 2022). So draw noise before the data arrive and send in a fixed slot. Nor does a draw
//! end for certain, only with probability one: with a broken generator that repeats a word it may never end. And a draw
//! is only as secret as its generator's seed.
//!
//! ```
//! use dpsda::privacy::sample::LaplaceSampler;
//! use dpsda::rng::{Purpose, Seed};
//! let noise = LaplaceSampler::new(1 << 20);
//! let mut sums = [1_000_000, -7, 0];
//! noise.add_to(&mut sums, &mut Seed::new(1).stream(Purpose::Noise, 0, 0));
//! assert_ne!(sums, [1_000_000, -7, 0]);
//! ```

mod by_block;
mod by_word;
mod exp;
mod gaussian;
mod laplace;
pub(in crate::privacy) mod log;
mod real;

pub use gaussian::GaussianSampler;
pub use laplace::LaplaceSampler;

/// The largest scale: at this size saturation is still out of reach.
pub const MAX_SCALE: u64 = 1 << 48;

/// A generator whose words are written down beforehand, for paths that chance takes once in 2^63 draws.
#[cfg(test)]
#[derive(Debug)]
struct Script(std::collections::VecDeque<u64>);

#[cfg(test)]
impl Script {
    fn new(words: impl IntoIterator<Item = u64>) -> Self {
        Self(words.into_iter().collect())
    }
}

#[cfg(test)]
impl rand::TryRng for Script {
    type Error = std::convert::Infallible;

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(self.0.pop_front().expect("more words were drawn than the test foresaw"))
    }

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.try_next_u64().map(|w| w as u32)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.chunks_mut(8).try_for_each(|part| {
            part.copy_from_slice(&self.try_next_u64()?.to_le_bytes()[..part.len()]);
            Ok(())
        })
    }
}
