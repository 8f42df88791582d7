//! (2), (3) and (19) recomputed from recorded decisions by other means.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::path::Path;

use dpsda::rng::Seed;
use dpsda_data::Draw;
use dpsda_sim::folder::summary_rows;
use dpsda_sim::{Experiment, Options, Progress};

const ROUNDS: usize = 40;
const TRIALS: u32 = 3;

const SETTING: &str = r#"
rounds = 40
trials = 3
record = ["decisions"]
[problem]
loss = "squared"
data = "synthetic-regression"
features = 4
batch = 2
gradient_error = 0.1
[set]
kind = "box"
lower = -0.6
upper = 0.6
[network]
nodes = 3
graph = "ring"
[algorithm]
name = ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"]
[privacy]
mechanism = "laplace"
level = 0.5
"#;

/// `(a.x - b)^2`, meant over the batch of round `t`.
fn cost(draw: &Draw, t: usize, x: &[f64]) -> f64 {
    let rows = &draw.train[2 * t..2 * t + 2];
    rows.iter().map(|&r| (draw.samples.features.dot(r, x) - draw.samples.labels[r]).powi(2)).sum::<f64>()
        / 2.0
}

fn mean_cost(draws: &[Draw], x: &[f64]) -> f64 {
    let total: f64 = draws.iter().flat_map(|d| (0..ROUNDS).map(move |t| cost(d, t, x))).sum();
    total / (ROUNDS * draws.len()) as f64
}

/// The least mean cost in the box, coordinate by coordinate: for a quadratic on a box each step is exact, and the
/// method converges to the optimum.
fn least(draws: &[Draw]) -> f64 {
    let mut x = vec![0.0; 4];
    for _ in 0..2000 {
        for k in 0..4 {
            let at = |x: &mut Vec<f64>, v: f64| {
                x[k] = v;
                mean_cost(draws, x)
            };
            let (low, mid, high) = (at(&mut x, -1.0), at(&mut x, 0.0), at(&mut x, 1.0));
            let (curve, slope) = ((low + high) / 2.0 - mid, (high - low) / 2.0);
            x[k] = (-slope / (2.0 * curve)).clamp(-0.6, 0.6);
        }
    }
    mean_cost(draws, &x)
}

#[test]
fn the_three_regrets_are_those_of_the_recorded_decisions() {
    let experiment = Experiment::load(SETTING, &[], Path::new("")).unwrap();
    let outcome = experiment.run(Options::default(), &Progress::default());
    let rows = summary_rows(&experiment, &outcome);
    let draws: Vec<Draw> = (0..TRIALS)
        .map(|trial| experiment.source(0).unwrap().draw(Seed::new(1).trial(trial), 2 * ROUNDS, 0, true))
        .collect();
    let best: Vec<f64> = draws.iter().map(|draw| least(std::slice::from_ref(draw))).collect();
    let common = least(&draws);
    assert!(best.iter().sum::<f64>() < common * f64::from(TRIALS), "the trials' own best decisions differ");
    for (run, row) in outcome.runs.iter().zip(&rows) {
        let (mut played, mut averaged) = (Vec::new(), Vec::new());
        for (trial, done) in &run.trials {
            let x = &done.trial.decisions;
            assert_eq!(x.len(), ROUNDS);
            let draw = &draws[*trial as usize];
            // x~(t) of (19): the mean of x(0), ..., x(t)
            let running = |t: usize| {
                (0..4).map(|k| x[..=t].iter().map(|x| x[k]).sum::<f64>() / (t + 1) as f64).collect()
            };
            played.push((0..ROUNDS).map(|t| cost(draw, t, &x[t])).sum::<f64>() / ROUNDS as f64);
            averaged.push(
                (0..ROUNDS).map(|t| cost(draw, t, &running(t) as &Vec<f64>)).sum::<f64>() / ROUNDS as f64,
            );
        }
        let mean = |v: &[f64]| v.iter().sum::<f64>() / f64::from(TRIALS);
        let expected = [
            ("fitness", mean(&played)),
            ("regret_per_round", mean(&played) - mean(&best)), // (2)
            ("pseudo_regret_per_round", mean(&played) - common), // (3)
            ("averaged_regret_per_round", mean(&averaged) - mean(&best)), // (19)
        ];
        for (column, expected) in expected {
            let found = row[column].as_f64().unwrap();
            assert!(
                (found - expected).abs() < 3e-6,
                "{} {column}: {found}, expected {expected}",
                row["algorithm"]
            );
        }
    }
}
