//! Noise on the integers: exact samplers of the discrete Laplace and the discrete Gaussian law.
//!
//! **Postcondition.** If the generator's bits are fair and independent, then draws are independent and
//!
//! ```text
//! LaplaceSampler::new(t):     P(k) = exp(-|k|/t)       / (the sum of that over all integers)
//! GaussianSampler::new(s):    P(k) = exp(-k^2/(2 s^2)) / (the sum of that over all integers)
//! ```
//!
//! for every integer k, with equality and not up to rounding. A draw is defined by comparisons of integers with fair bits, and
//! where the bits at hand do not decide, more are drawn until they do. Floating point only says sooner what those comparisons
//! would say: an answer of it counts where a proved bound on its error leaves no other, and else integers are asked.
//!
//! **Proof**, each step beside the code it is about:
//!
//! 1. `sample/real.rs`: a `Real` is a uniform real number U of which only the bits that matter are ever drawn. A question about
//!    it is answered when every continuation of its bits gives the same answer.
//! 2. `sample/exp.rs`: whether U < exp(-z), for a rational z, in integers.
//! 3. `sample/by_block/laplace.rs`: -ln U is exponential; a multiple of it, rounded down, is geometric; a fair sign, where
//!    minus zero is drawn again, makes that discrete Laplace. 2 defines the rounding.
//! 4. `sample/by_block/gaussian.rs`: thinned by 2 it is discrete Gaussian.
//! 5. `sample/log.rs` bounds the error of the logarithm, and lemmas in 3 and 4 conclude that its answers are those of 2. For
//!    them sums, products and quotients of f64 must be rounded as IEEE 754 says, and nothing may be fused.
//!
//! Scales above 2^36 leave f64 too often in doubt, and streams of the first generator keep the draws that they always gave. Both are
//! drawn word by word, with no floating point at all (`sample/by_word/`): `exp_minus` makes an event of probability exp(-z)
//! from one of probability z, comparing uniform numbers; that and 1 make an exponential variable, and the rest is as above.
//! This is the method of Canonne, Kamath and Steinke, *The discrete Gaussian for differential privacy* (2020), with the real
//! numbers of Karney, *Sampling exactly from the normal distribution* (2016), in the place of its geometric loop.
//!
//! **What an `i64` cuts off.** A draw of 2^63 or more in size saturates. Scales are at most 2^48, so that happens with
//! probability at most exp(-2^15), which is below 2^-47000. It is not
//! post-processing (the draw is cut before it is added), so strictly every guarantee made with these draws holds up to a
//! delta of that size, which is left out everywhere. Cutting the sum, as `add_to` does too, is post-processing.
//!
//! **What is not promised.** Constant time: how long a draw takes and how many words it uses depend on its value and on its bits, which
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
