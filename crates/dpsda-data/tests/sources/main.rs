//! Claims about the data sets.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

mod csv_files;
mod every_source;
mod fuzz;
mod libsvm_files;
mod mnist_68;
mod mushroom;
mod order;
mod scaled;
mod splits;
mod synthetic_regression;

use dpsda::features::Samples;
use dpsda::rng::{Generator, Seed};
use dpsda::{Error, Keys, catalog};
use dpsda_config::{ResolvedData, Rules, Split, split};
use dpsda_data::{Draw, Prepared, SOURCES, Source};

/// The source called `name`, from the keys in `problem`; every file holds `content`.
fn build(name: &str, problem: &str, content: &[u8]) -> Result<Box<dyn Source>, Error> {
    let table = dpsda_config::table(problem).unwrap();
    let keys = Keys::new("problem", &table);
    let source = (catalog::find(SOURCES, "problem.data", name)?.build)(&keys, &|_| Ok(content.to_vec()))?;
    keys.finish()?;
    Ok(source)
}

fn csv(problem: &str, content: &str) -> Result<Box<dyn Source>, Error> {
    build("csv", &format!("path = 'm.csv'\n{problem}"), content.as_bytes())
}

fn libsvm(problem: &str, content: &str) -> Result<Box<dyn Source>, Error> {
    build("libsvm", &format!("path = 'm.svm'\n{problem}"), content.as_bytes())
}

fn seed(trial: u32) -> Seed {
    Seed::new(7).trial(trial)
}

/// All samples in file order.
fn all(source: &dyn Source) -> Draw {
    source.draw(seed(0), source.len().unwrap(), 0, false)
}

fn row(samples: &Samples, row: usize) -> Vec<f64> {
    let mut g = vec![0.0; samples.features.dim()];
    samples.features.add_to(row, 0..g.len(), 1.0, &mut g);
    g
}

fn rows(source: &dyn Source) -> Vec<(Vec<f64>, f64)> {
    let Draw { samples, train, .. } = all(source);
    train.iter().map(|&r| (row(&samples, r), samples.labels[r])).collect()
}

#[track_caller]
fn fails(result: Result<impl Sized, Error>, message: &str) {
    assert_eq!(result.err().expect("an error").to_string(), message);
}

fn split_of(
    source: &dyn Source,
    train: Option<usize>,
    test: usize,
    rounds: Option<u64>,
    batch: usize,
) -> Result<Split, Error> {
    split(&ResolvedData { dim: source.dim(), samples: source.len(), handle: 0 }, train, test, rounds, batch)
}
