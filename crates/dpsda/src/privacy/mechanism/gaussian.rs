//! Gaussian noise in f64.
//!
//! *Idealised*: over the reals a value of L2 sensitivity `s` released with standard deviation `sigma` is
//! `s^2/(2 sigma^2)`-zCDP. Floating point does not keep that promise (see `laplace`), so this is for simulation and comparison.

use fearless_simd::{Simd, dispatch};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{Build, Ideal, Mechanism, Variance, Variances};
use crate::catalog::Listing;
use crate::privacy::Price;
use crate::privacy::clip::Norm;
use crate::privacy::sample::log::{middle, minus_ln};
use crate::rng::{Stream, Words};
use crate::wide;

/// Gaussian noise in f64: idealised.
///
/// ```
/// use dpsda::privacy::{Mechanism, mechanism::Gaussian};
/// assert_eq!(Mechanism::from(Gaussian).name(), "gaussian");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Gaussian;

impl From<Gaussian> for Mechanism {
    fn from(Gaussian: Gaussian) -> Self {
        Self::ideal(LISTING.name, Norm::L2, |order| GaussianNoise { sigma: order.scale })
    }
}

/// `gaussian`
pub const LISTING: Listing<Build> = Listing {
    name: "gaussian",
    about: "idealised Gaussian noise in f64; for simulation only",
    keys: &[],
    build: |_| Ok(Gaussian.into()),
};

struct GaussianNoise {
    sigma: f64,
}

impl Ideal for GaussianNoise {
    fn perturb(&mut self, value: &mut [f64], stream: &mut Stream) {
        match stream.words() {
            Words::First(words) => word_by_word(value, self.sigma, words),
            Words::Newest(words) => in_blocks(value, self.sigma, words),
        }
    }

    fn cost(&self, moved: f64, times: u64) -> Price {
        Price::rho((moved / self.sigma).powi(2) / 2.0).times(times)
    }

    fn prefix_deviation(&self, rounds: u64) -> Option<f64> {
        Some(self.sigma * (rounds as f64).sqrt())
    }

    fn variances(&self) -> Option<Variances> {
        let deviation = self.prefix_deviation(1)?;
        Some(Variance::independent(deviation * deviation))
    }
}

/// As the first generator always did.
fn word_by_word<R: Rng>(values: &mut [f64], sigma: f64, words: &mut R) {
    for v in values {
        let z: f64 = StandardNormal.sample(words);
        *v += sigma * z;
    }
}

/// How many points are drawn at once.
const BLOCK: usize = 128;

/// Two words a point.
type PolarPoint = [[u8; 8]; 2];

/// The polar method (Marsaglia and Bray 1964): a point (a, b), uniform in the square and kept if it is in the unit disc, gives
/// two independent normal numbers: a and b times sqrt(-2 ln(s)/s), s = a^2 + b^2. The last of an odd number is not used.
fn in_blocks<R: Rng>(values: &mut [f64], sigma: f64, words: &mut R) {
    let mut points: [PolarPoint; BLOCK] = [[[0; 8]; 2]; BLOCK];
    let (mut pairs, mut inside) = ([[0.0; 2]; BLOCK], [false; BLOCK]);
    let mut rest = values;
    while !rest.is_empty() {
        let n = rest.len().div_ceil(2).min(BLOCK);
        words.fill_bytes(points[..n].as_flattened_mut().as_flattened_mut());
        dispatch!(wide::level(), simd => normal(simd, &points[..n], &mut pairs, &mut inside));
        let mut kept = 0;
        for i in 0..n {
            pairs[kept] = pairs[i];
            kept += usize::from(inside[i]);
        }
        let (now, later) = rest.split_at_mut(rest.len().min(2 * kept));
        now.iter_mut().zip(pairs.as_flattened()).for_each(|(v, z)| *v += sigma * z);
        rest = later;
    }
}

#[inline(always)]
fn normal<S: Simd>(_: S, points: &[PolarPoint], pairs: &mut [[f64; 2]], inside: &mut [bool]) {
    for ((point, pair), inside) in points.iter().zip(pairs).zip(inside) {
        // Odd multiples of 2^-52: never zero.
        let [a, b] = point.map(|word| 2.0 * middle(u64::from_le_bytes(word)) - 1.0);
        let s = a * a + b * b;
        let factor = (2.0 * minus_ln(s) / s).sqrt();
        (*pair, *inside) = ([a * factor, b * factor], s < 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Generator, Purpose, Seed};

    /// P(Z <= z): Taylor's series of the integral, good to 1e-11 below 5.
    fn law(z: f64) -> f64 {
        let (mut term, mut sum) = (z, z);
        for k in 1..200 {
            term *= -z * z / (2.0 * f64::from(k));
            sum += term / f64::from(2 * k + 1);
        }
        0.5 + sum / (2.0 * std::f64::consts::PI).sqrt()
    }

    #[test]
    fn the_draws_follow_the_normal_law_and_neighbours_know_nothing_of_each_other() {
        for generator in [Generator::First, Generator::Second] {
            let n = 200_001;
            let mut x = vec![0.0; n];
            let seed = Seed::default().with(generator);
            GaussianNoise { sigma: 2.0 }.perturb(&mut x, &mut seed.stream(Purpose::Noise, 0, 0));
            // The mean of the product of neighbours, and of their squares less one: six standard errors.
            let product = x.windows(2).map(|w| w[0] * w[1] / 4.0).sum::<f64>() / (n as f64).sqrt();
            let squares = |w: &[f64]| (w[0] * w[0] / 4.0 - 1.0) * (w[1] * w[1] / 4.0 - 1.0);
            let product_of_squares = x.windows(2).map(squares).sum::<f64>() / (n as f64).sqrt();
            assert!(product.abs() < 6.0 && product_of_squares.abs() < 12.0, "{product} {product_of_squares}");
            x.sort_by(f64::total_cmp);
            // Kolmogorov-Smirnov: sqrt(n) D exceeds 2.65 with probability 2 exp(-2 * 2.65^2) = 1.6e-6.
            let d = x.iter().enumerate().filter(|(_, x)| x.abs() < 10.0).map(|(i, x)| {
                let (low, high) = (i as f64 / n as f64, (i + 1) as f64 / n as f64);
                (law(*x / 2.0) - low).abs().max((law(*x / 2.0) - high).abs())
            });
            let d = d.fold(0.0, f64::max);
            assert!(d * (n as f64).sqrt() < 2.65, "D sqrt(n) = {}", d * (n as f64).sqrt());
        }
    }
}
