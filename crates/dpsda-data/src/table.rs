//! A finite table of samples: a file, or bundled data.

use std::sync::Arc;

use dpsda::Error;
use dpsda::features::{Features, Samples};
use dpsda::rng::{Purpose, Seed};
use rand::RngExt;
use sha2::{Digest, Sha256};

use super::{Draw, Source};

/// Samples and where they came from.
pub(super) struct SampleTable {
    samples: Arc<Samples>,
    sha256: String,
    no_class: Option<Error>,
}

impl SampleTable {
    /// `features` with `labels`, read from `content`. `no_class` is the error for the first label that is not -1 or +1.
    pub(super) fn boxed(
        features: Box<dyn Features>,
        (labels, no_class): (Vec<f64>, Option<Error>),
        content: &[u8],
    ) -> Box<dyn Source> {
        Self::hashed(features, (labels, no_class), sha256(content))
    }

    /// The same, with a hash that is already known.
    pub(super) fn hashed(
        features: Box<dyn Features>,
        (labels, no_class): (Vec<f64>, Option<Error>),
        sha256: String,
    ) -> Box<dyn Source> {
        Box::new(Self { samples: Arc::new(Samples { features, labels }), sha256, no_class })
    }
}

impl Source for SampleTable {
    fn dim(&self) -> usize {
        self.samples.features.dim()
    }

    fn len(&self) -> Option<usize> {
        Some(self.samples.labels.len())
    }

    fn sha256(&self) -> Option<&str> {
        Some(&self.sha256)
    }

    fn labels(&self) -> Result<(), Error> {
        self.no_class.clone().map_or(Ok(()), Err)
    }

    fn draw(&self, seed: Seed, train: usize, test: usize, shuffle: bool) -> Draw {
        let mut train_rows: Vec<usize> = (0..self.samples.labels.len()).collect();
        if shuffle {
            permute(&mut train_rows, seed);
        }
        let mut test_rows = train_rows.split_off(train.min(train_rows.len()));
        test_rows.truncate(test);
        Draw { samples: Arc::clone(&self.samples), train: train_rows, test: test_rows }
    }
}

/// SHA-256 in hex.
pub(super) fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fisher and Yates, on 64-bit draws so that every machine finds the same order.
fn permute(rows: &mut [usize], seed: Seed) {
    let mut stream = seed.stream(Purpose::Data, u64::MAX, 0);
    for last in (1..rows.len()).rev() {
        rows.swap(last, stream.random_range(0..=last as u64) as usize);
    }
}
