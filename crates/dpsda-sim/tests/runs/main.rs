//! Whole runs from a file in words to the numbers in the summary: baselines, late and lost messages, bandit feedback.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::path::Path;

use dpsda_sim::folder::summary_rows;
use dpsda_sim::{Experiment, Options, Progress};
use serde_json::{Map, Value};

mod bandit;
mod baselines;
mod digits;
mod late;
mod own_metric;
mod scale;

/// One row per run, by column.
type Rows = Vec<Map<String, Value>>;

fn load(setting: &str, overrides: &[&str]) -> Experiment {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    Experiment::load(setting, &overrides, Path::new("")).unwrap_or_else(|e| panic!("{e}"))
}

fn rows(experiment: &Experiment, threads: usize) -> Rows {
    summary_rows(experiment, &experiment.run(Options { threads }, &Progress::default()))
}
