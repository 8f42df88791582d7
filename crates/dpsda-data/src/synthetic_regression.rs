//! Linear regression with a known truth (section 6.1): `b = a.x^ + rho`.

use std::sync::Arc;

use dpsda::catalog::{Key, Listing};
use dpsda::features::{Dense, Features, Samples, Single};
use dpsda::rng::{Generator, Purpose, Seed};
use dpsda::{Error, Keys};
use rand::RngExt;
use rand_distr::StandardNormal;

use super::{Build, Draw, MAX_FEATURES, Source};

mod first;
mod pages;
mod rows;

use pages::Pages;

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "synthetic-regression",
    about: "features uniform around 0, labels linear in them with normal errors (section 6.1)",
    keys: &[
        Key { name: "features", about: "how many features (default 21)" },
        Key {
            name: "feature_range",
            about: "features are uniform between minus and plus this (default 0.5)",
        },
        Key { name: "noise_variance", about: "variance of the labels' normal error (default 0.2)" },
        Key {
            name: "redraw_truth",
            about: "true: every trial has its own truth; false (default): all trials share one",
        },
    ],
    build,
};

/// Samples are computed from their number, not stored: sample `k` is the same however many are drawn.
struct Regression {
    dim: usize,
    range: f64,
    deviation: f64,
    redraw: bool,
}

const FINITE: &str = "whole rows, finite by the bounds in `build`";

/// Which of the two endless lists a sample is from.
#[derive(Clone, Copy)]
enum List {
    Train = 0,
    Test = 1,
}

fn build(keys: &Keys<'_>, _: &dyn Fn(&str) -> Result<Vec<u8>, Error>) -> Result<Box<dyn Source>, Error> {
    let dim = keys.count("features", 1)?.unwrap_or(21);
    if dim > u64::from(MAX_FEATURES) {
        return Err(keys.bad("features", format!("expected at most {MAX_FEATURES}")));
    }
    // The bounds keep every label finite.
    let range = keys
        .f64_where("feature_range", 0.5, "a positive number of at most 1e100", |r| r > 0.0 && r <= 1e100)?;
    let variance =
        keys.f64_where("noise_variance", 0.2, "a number from 0 to 1e100", |v| (0.0..=1e100).contains(&v))?;
    let redraw = keys.bool("redraw_truth")?.unwrap_or(false);
    Ok(Box::new(Regression { dim: dim as usize, range, deviation: variance.sqrt(), redraw }))
}

impl List {
    /// The name of row `row` of a draw: its list, and its number there.
    fn name(row: usize, train: usize) -> (Self, u64) {
        match row.checked_sub(train) {
            None => (Self::Train, row as u64),
            Some(k) => (Self::Test, k as u64),
        }
    }
}

impl Regression {
    /// `x^`, each coordinate normal. Shared by all trials unless redrawn, so that (3) makes sense.
    fn truth(&self, seed: Seed) -> Vec<f64> {
        let seed = if self.redraw { seed } else { seed.trial(0) };
        let mut stream = seed.stream(Purpose::Truth, 0, 0);
        (0..self.dim).map(|_| stream.sample(StandardNormal)).collect()
    }
}

impl Source for Regression {
    fn dim(&self) -> usize {
        self.dim
    }

    fn len(&self) -> Option<usize> {
        None
    }

    fn sha256(&self) -> Option<&str> {
        None
    }

    fn labels(&self) -> Result<(), Error> {
        let remedy =
            "its labels are numbers, not the classes -1 and +1 (use the loss \"squared\" or \"huber\")";
        Err(Error::value("problem.data", format!("{:?}", LISTING.name), remedy))
    }

    /// A longer run extends a shorter one, and both are tested on the same samples. There is no order to shuffle.
    fn draw(&self, seed: Seed, train: usize, test: usize, _shuffle: bool) -> Draw {
        let truth = self.truth(seed);
        let (features, labels): (Box<dyn Features>, _) = match seed.generator {
            Generator::First => {
                let (features, labels) = self.first(seed, train, test, &truth);
                (Box::new(Dense::new(features, self.dim).expect(FINITE)), labels)
            }
            // What is left of a number in 32 bits has all its 24 bits.
            _ if (1e-30..=1e30).contains(&self.range) => {
                let mut pages = Pages::zeros((train + test) * self.dim);
                let labels = self.fill(seed, train, &truth, pages.as_mut());
                (Box::new(Single::in_memory(pages, self.dim).expect(FINITE)), labels)
            }
            _ => {
                let mut features = vec![0.0; (train + test) * self.dim];
                let labels = self.fill(seed, train, &truth, &mut features);
                (Box::new(Dense::new(features, self.dim).expect(FINITE)), labels)
            }
        };
        let samples = Samples { features, labels };
        Draw {
            samples: Arc::new(samples),
            train: (0..train).collect(),
            test: (train..train + test).collect(),
        }
    }
}
