//! Samples as the first generator always gave them.

use dpsda::rng::{Purpose, Seed};
use rand::RngExt;
use rand_distr::StandardNormal;

use super::{List, Regression};

impl Regression {
    /// The features of all rows and their labels.
    pub(super) fn first(&self, seed: Seed, train: usize, test: usize, truth: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut features = Vec::new();
        let labels = (0..train + test)
            .map(|row| {
                let (list, k) = List::name(row, train);
                let mut stream = seed.stream(Purpose::Data, list as u64, k);
                let mut label = 0.0;
                for x in truth {
                    let a = self.range * (2.0 * stream.random::<f64>() - 1.0);
                    features.push(a);
                    label += a * x;
                }
                label + self.deviation * stream.sample::<f64, _>(StandardNormal)
            })
            .collect();
        (features, labels)
    }
}
