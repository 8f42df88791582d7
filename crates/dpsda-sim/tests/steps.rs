//! What automatic steps cost while learning, against the best fixed step in hindsight.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::path::Path;

use dpsda_data::Prepared;
use dpsda_sim::Experiment;
use dpsda_sim::check::Check;
use rayon::prelude::*;

/// Half-decades.
const GRID: [f64; 9] = [0.01, 0.0316, 0.1, 0.316, 1.0, 3.16, 10.0, 31.6, 100.0];

const MUSHROOM: &str = r#"
rounds = 60
problem = { loss = "logistic", data = "mushroom", batch = 100 }
set = { kind = "ball", radius = 5.0 }
network = { nodes = 7, graph = "paper-fig2" }
"#;
const MNIST: &str = r#"
rounds = 80
problem = { loss = "logistic", data = "mnist-68", batch = 100 }
set = { kind = "ball", radius = 5.0 }
network = { nodes = 7, graph = "paper-fig2" }
"#;
const REGRESSION: &str = r#"
rounds = 500
problem = { loss = "squared", data = "synthetic-regression" }
set = { kind = "box", lower = -5.0, upper = 5.0 }
network = { nodes = 7, graph = "paper-fig2" }
"#;

/// A setting, its promise and how many trials.
fn experiment(setting: &str, algorithm: &str, epsilon: f64, clip: f64, trials: u32) -> Prepared {
    let adjacency = if setting == REGRESSION { "round" } else { "example" };
    let privacy = match epsilon.is_finite() {
        true => format!(
            "privacy = {{ mechanism = 'toeplitz', epsilon = {epsilon}, delta = 1e-5, clip = {clip}, adjacency = '{adjacency}' }}"
        ),
        false => String::new(),
    };
    let text = format!(
        "rules = 2\nseed = 1\ntrials = {trials}\nalgorithm = {{ name = '{algorithm}', step = 'auto' }}\n{privacy}\n{setting}"
    );
    Prepared::load(&text, &[], Path::new("")).unwrap()
}

/// The mean cost of the decisions made while learning, over trials. No step is the automatic one.
fn online(experiment: &Prepared, step: Option<f64>) -> f64 {
    let run = &experiment.runs[0];
    let spec = step.map_or_else(|| run.spec.clone(), |c| run.spec.clone().stepping(c));
    let trial = |trial: u32| {
        let (costs, mut fleet) = (experiment.costs(0, trial), spec.fleet(run.seed_of(trial)));
        let mut sum = 0.0;
        for t in 0..spec.rounds() {
            let cost = costs.cost(t).unwrap();
            sum += cost.value(&fleet.decision());
            fleet.round(t, &*cost).unwrap();
        }
        sum / spec.rounds() as f64
    };
    (0..run.trials).map(trial).sum::<f64>() / f64::from(run.trials)
}

/// The cost of the automatic step, divided by that of the best step of the grid.
fn ratio(setting: &str, algorithm: &str, epsilon: f64, clip: f64, trials: u32) -> f64 {
    let experiment = experiment(setting, algorithm, epsilon, clip, trials);
    let steps: Vec<Option<f64>> = GRID.into_iter().map(Some).chain([None]).collect();
    let costs: Vec<f64> = steps.par_iter().map(|step| online(&experiment, *step)).collect();
    let (auto, fixed) = costs.split_last().unwrap();
    auto / fixed.iter().copied().fold(f64::INFINITY, f64::min)
}

#[test]
fn nothing_tuned_costs_about_what_the_best_step_in_hindsight_costs() {
    let inf = f64::INFINITY;
    // At most: for DPSDA-R, and for DPCDA.
    for (name, setting, clip, trials, rows) in [
        ("mushroom", MUSHROOM, 1.0, 3, [(inf, 0.95, 0.85), (1.0, 1.05, 1.15), (0.2, 1.1, 1.1)]),
        ("MNIST 6 or 8", MNIST, 0.5, 1, [(inf, 1.0, 0.8), (1.0, 1.2, 1.25), (0.2, 1.2, 1.25)]),
        ("regression", REGRESSION, 3.0, 2, [(inf, 1.1, 1.1), (100.0, 1.15, 1.15), (20.0, 1.1, 1.15)]),
    ] {
        for (epsilon, relay, central) in rows {
            for (algorithm, most) in [("dpsda-r", relay), ("dpcda", central)] {
                let found = ratio(setting, algorithm, epsilon, clip, trials);
                println!("{name}, {algorithm}, epsilon {epsilon}: {found:.3}");
                assert!(found <= most, "{name}, {algorithm}, epsilon {epsilon}: {found} above {most}");
            }
        }
    }
}

#[test]
fn no_number_is_promised_before_the_run_and_check_says_why() {
    for name in ["dpsda-r", "dpcda"] {
        let text = format!("rules = 2\nalgorithm = {{ name = '{name}', step = 'auto' }}\n{REGRESSION}");
        let experiment = Experiment::load(&text, &[], Path::new("")).unwrap();
        for found in dpsda_sim::bounds::rows(&experiment) {
            let reasons = [found.real, found.certified].map(|bound| bound.unwrap_err().to_string());
            assert!(reasons.iter().all(|why| why.starts_with("steps are automatic")), "{reasons:?}");
        }
        let said = Check::new(&experiment).runs_json(&experiment)[0]["steps"].to_string();
        assert!(said.contains("the largest distance 22.9129 in the set"), "{said}");
    }
}
