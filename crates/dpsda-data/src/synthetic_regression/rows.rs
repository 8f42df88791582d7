//! Samples with features of 24 random bits, drawn many at a time.
//!
//! A feature is an odd whole number between -2^24 and 2^24, in units of 2^-24 of the range. So it is a number of 32 bits, and
//! all features are as far apart as their neighbours.

use dpsda::rng::{Purpose, Seed};
use rand::{Rng as _, RngExt as _};
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::{List, Regression};

/// How many features are drawn at once.
const BLOCK: usize = 1024;

/// From this many features on, threads pay off.
const MANY: usize = 1 << 18;

/// How a feature is stored.
pub(super) trait FeatureNumber: Copy + Send + Into<f64> {
    /// This many units. The number is below 2^24 in size.
    fn units(number: i32, unit: f64) -> Self;
}

impl FeatureNumber for f32 {
    #[inline(always)]
    fn units(number: i32, unit: f64) -> Self {
        number as f32 * unit as f32
    }
}

impl FeatureNumber for f64 {
    #[inline(always)]
    fn units(number: i32, unit: f64) -> Self {
        Self::from(number) * unit
    }
}

impl Regression {
    /// Writes the features of all rows, and returns their labels.
    pub(super) fn fill<T: FeatureNumber>(
        &self,
        seed: Seed,
        train: usize,
        truth: &[f64],
        features: &mut [T],
    ) -> Vec<f64> {
        let mut labels = vec![0.0; features.len() / self.dim];
        let draw = |(row, (features, label)): (usize, (&mut [T], &mut f64))| {
            let (list, k) = List::name(row, train);
            *label = self.sample(seed, list, k, truth, features);
        };
        if features.len() < MANY {
            features.chunks_mut(self.dim).zip(&mut labels).enumerate().for_each(draw);
        } else {
            features.par_chunks_mut(self.dim).zip(&mut labels).enumerate().for_each(draw);
        }
        labels
    }

    /// Writes the features of sample `k` and returns its label.
    fn sample<T: FeatureNumber>(
        &self,
        seed: Seed,
        list: List,
        k: u64,
        truth: &[f64],
        features: &mut [T],
    ) -> f64 {
        let mut stream = seed.stream(Purpose::Data, list as u64, k);
        let (mut words, mut label) = ([[0; 4]; BLOCK], 0.0);
        for (features, truth) in features.chunks_mut(BLOCK).zip(truth.chunks(BLOCK)) {
            let words = &mut words[..features.len()];
            stream.fill_bytes(words.as_flattened_mut());
            let unit = self.range / f64::from(1 << 24);
            for (feature, word) in features.iter_mut().zip(&*words) {
                let bits = (u32::from_le_bytes(*word) >> 8) as i32;
                *feature = T::units(2 * bits + 1 - (1 << 24), unit);
            }
            label += dot(features, truth);
        }
        label + self.deviation * stream.sample::<f64, _>(StandardNormal)
    }
}

/// Eight running sums, so that the compiler vectorises.
fn dot<T: FeatureNumber>(a: &[T], x: &[f64]) -> f64 {
    let ((a, a_rest), (x, x_rest)) = (a.as_chunks::<8>(), x.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, x) in a.iter().zip(x) {
        for k in 0..8 {
            sums[k] += a[k].into() * x[k];
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(x_rest).map(|(a, x)| (*a).into() * x).sum::<f64>()
}
