//! Laplace noise in f64, as the paper draws it.
//!
//! *Idealised*: over the reals a value of L1 sensitivity `s` released with scale `b` costs `s/b`. In floating point the
//! low bits of the sum betray the value whatever the scale (Mironov 2012), so this is for simulation and comparison.

use fearless_simd::{Simd, dispatch};
use rand::{Rng, RngExt};

use super::{Build, Ideal, Mechanism, Variance, Variances};
use crate::catalog::Listing;
use crate::privacy::Price;
use crate::privacy::clip::Norm;
use crate::privacy::sample::log::{middle, minus_ln};
use crate::rng::{Stream, Words};
use crate::wide;

/// Laplace noise in f64, as the paper draws it: idealised.
///
/// ```
/// use dpsda::privacy::{Mechanism, mechanism::Laplace};
/// assert_eq!(Mechanism::from(Laplace).name(), "laplace");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Laplace;

impl From<Laplace> for Mechanism {
    fn from(Laplace: Laplace) -> Self {
        Self::ideal(LISTING.name, Norm::L1, |order| LaplaceNoise { scale: order.scale })
    }
}

/// `laplace`
pub const LISTING: Listing<Build> = Listing {
    name: "laplace",
    about: "idealised Laplace noise in f64, the paper's; for simulation only",
    keys: &[],
    build: |_| Ok(Laplace.into()),
};

struct LaplaceNoise {
    scale: f64,
}

impl Ideal for LaplaceNoise {
    fn perturb(&mut self, value: &mut [f64], stream: &mut Stream) {
        match stream.words() {
            Words::First(words) => word_by_word(value, self.scale, words),
            Words::Newest(words) => in_blocks(value, self.scale, words),
        }
    }

    fn cost(&self, moved: f64, times: u64) -> Price {
        Price::epsilon(moved / self.scale).times(times)
    }

    /// One word a value, or one after the other.
    fn in_pieces(&self) -> bool {
        true
    }

    /// (27): the variance of a draw is `2 scale^2`.
    fn prefix_deviation(&self, rounds: u64) -> Option<f64> {
        Some(self.scale * (2.0 * rounds as f64).sqrt())
    }

    fn variances(&self) -> Option<Variances> {
        let deviation = self.prefix_deviation(1)?;
        Some(Variance::independent(deviation * deviation))
    }
}

/// As the first generator always did.
fn word_by_word<R: Rng>(values: &mut [f64], scale: f64, words: &mut R) {
    for v in values {
        // A fair sign on an exponential draw; the uniform is below 1, so the logarithm is finite.
        let size = -(-words.random::<f64>()).ln_1p();
        *v += scale * if words.random() { size } else { -size };
    }
}

/// How many words are drawn at once.
const BLOCK: usize = 128;
/// The same where no more are needed.
const FEW: usize = 16;

/// One word a value: its first 52 bits are the uniform, its last is the sign.
fn in_blocks<R: Rng>(values: &mut [f64], scale: f64, words: &mut R) {
    if values.len() <= FEW {
        return one_block(values, scale, words, &mut [[0; 8]; FEW]);
    }
    let mut block = [[0; 8]; BLOCK];
    values.chunks_mut(BLOCK).for_each(|values| one_block(values, scale, words, &mut block));
}

fn one_block<R: Rng>(values: &mut [f64], scale: f64, words: &mut R, block: &mut [[u8; 8]]) {
    let block = &mut block[..values.len()];
    words.fill_bytes(block.as_flattened_mut());
    dispatch!(wide::level(), simd => add(simd, values, scale, block));
}

#[inline(always)]
fn add<S: Simd>(_: S, values: &mut [f64], scale: f64, words: &[[u8; 8]]) {
    for (v, word) in values.iter_mut().zip(words) {
        let word = u64::from_le_bytes(*word);
        let size = minus_ln(middle(word));
        *v += scale * f64::from_bits(size.to_bits() | word << 63);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Generator, Purpose, Seed};

    #[test]
    fn the_draws_follow_the_laplace_law() {
        for generator in [Generator::First, Generator::Second] {
            follows(Seed::default().with(generator));
        }
    }

    fn follows(seed: Seed) {
        let n = 200_000;
        let mut x = vec![0.0; n];
        LaplaceNoise { scale: 2.0 }.perturb(&mut x, &mut seed.stream(Purpose::Noise, 0, 0));
        x.sort_by(f64::total_cmp);
        // Kolmogorov-Smirnov: sqrt(n) D exceeds 2.65 with probability 2 exp(-2 * 2.65^2) = 1.6e-6.
        let law = |x: f64| if x < 0.0 { 0.5 * (x / 2.0).exp() } else { 1.0 - 0.5 * (-x / 2.0).exp() };
        let d = x.iter().enumerate().map(|(i, x)| {
            let (low, high) = (i as f64 / n as f64, (i + 1) as f64 / n as f64);
            (law(*x) - low).abs().max((law(*x) - high).abs())
        });
        let d = d.fold(0.0, f64::max);
        assert!(d * (n as f64).sqrt() < 2.65, "D sqrt(n) = {}", d * (n as f64).sqrt());
    }
}
