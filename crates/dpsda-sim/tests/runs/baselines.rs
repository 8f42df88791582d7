//! Decomposable problems in the simulator: who learns from what, and what is measured of a model a node.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use dpsda::metric::{Metric, Observer, Observers, Round};
use dpsda::rng::Seed;
use dpsda_sim::folder::summary_rows;
use dpsda_sim::{Options, Progress, engine};

use crate::{load, rows};

const SETTING: &str = r#"
rounds = 40
trials = 2
record = ["decisions"]
[problem]
loss = "logistic"
data = "mushroom"
batch = 7
test = 200
[set]
kind = "ball"
radius = 3.0
[network]
nodes = 5
graph = "exponential"
[algorithm]
name = ["doda", "dpps", "dpdola", "dpsr", "osp", "dp-osp", "dp-wb"]
[privacy]
mechanism = "laplace"
level = 2.0
"#;

type Seen = Arc<Mutex<Vec<Vec<Vec<f64>>>>>;

/// Writes down the models of every round.
struct Scribe(Seen);

impl Observer for Scribe {
    fn round(&mut self, round: &Round<'_>) {
        assert_eq!(round.models.len(), 5, "a model a node");
        for (x, cost) in round.models.iter().zip(round.costs) {
            assert_eq!(round.f.value(x), *cost, "every model is judged by the cost of all");
        }
        self.0.lock().unwrap().push(round.models.to_vec());
    }

    fn so_far(&self) -> f64 {
        0.0
    }
}

/// `log(1 + exp(-b a.x))`, written differently.
fn logistic(s: f64, b: f64) -> f64 {
    (1.0 + (-b * s).exp()).ln()
}

#[test]
fn what_is_measured_is_the_mean_over_nodes_and_the_worst_of_them() {
    let experiment = load(SETTING, &[]);
    let outcome = experiment.run(Options::default(), &Progress::default());
    for (c, row) in summary_rows(&experiment, &outcome).iter().enumerate() {
        let config = &experiment.runs[c];
        let (mut fitness, mut averaged, mut worst, mut online, mut test) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for trial in 0..2 {
            let seed = Seed::new(1).trial(trial);
            let draw = experiment.source(c).unwrap().draw(seed, config.split.train, config.split.test, true);
            let seen = Seen::default();
            let mut observers = Observers::default();
            observers
                .add(&Metric::supplied().named("scribe", "Models."), Box::new(Scribe(Arc::clone(&seen))));
            let fleet = config.spec.fleet(seed);
            let own = config.problem.samples().unwrap();
            let costs = draw.clone().costs(Arc::clone(&own.loss), own.batch);
            let go = || ControlFlow::Continue(());
            let run = engine::run(config, 40, &costs, fleet, observers, &[40], &go).unwrap();
            let seen = seen.lock().unwrap();
            let score = |r: usize, x: &[f64]| draw.samples.features.dot(r, x);
            let mean_cost = |of: &dyn Fn(usize) -> Vec<f64>| {
                let rounds = (0..40).map(|t| {
                    let x = of(t);
                    let rows = &draw.train[7 * t..7 * t + 7];
                    rows.iter().map(|&r| logistic(score(r, &x), draw.samples.labels[r])).sum::<f64>() / 7.0
                });
                rounds.sum::<f64>() / 40.0
            };
            let each: Vec<f64> = (0..5).map(|i| mean_cost(&|t| seen[t][i].clone())).collect();
            fitness += each.iter().sum::<f64>() / 10.0;
            worst += each.iter().copied().fold(f64::MIN, f64::max) / 2.0;
            let running = |t: usize, i: usize| -> Vec<f64> {
                let sum = |k: usize| seen[..=t].iter().map(|x| x[i][k]).sum::<f64>();
                (0..seen[0][0].len()).map(|k| sum(k) / (t + 1) as f64).collect()
            };
            averaged += (0..5).map(|i| mean_cost(&|t| running(t, i))).sum::<f64>() / 10.0;
            let right =
                |r: usize, x: &[f64]| f64::from((score(r, x) > 0.0) == (draw.samples.labels[r] > 0.0));
            let hits = |t: usize, i: usize| {
                draw.train[7 * t..7 * t + 7].iter().map(|&r| right(r, &seen[t][i])).sum::<f64>()
            };
            online += (0..5).map(|i| (0..40).map(|t| hits(t, i)).sum::<f64>()).sum::<f64>() / (10.0 * 280.0);
            assert_eq!(run.last.len(), 5);
            test += run.last.iter().map(|x| draw.test.iter().map(|&r| right(r, x)).sum::<f64>()).sum::<f64>()
                / (10.0 * 200.0);
            // What is recorded as the decision is the mean model.
            let recorded = &outcome.runs[c].trials[&trial].trial.decisions[30];
            for (k, x) in recorded.iter().enumerate() {
                let mean = (0..5).map(|i| seen[30][i][k]).sum::<f64>() / 5.0;
                assert!((x - mean).abs() < 1e-9 * (1.0 + mean.abs()), "{x} and {mean}");
            }
        }
        let number = |name: &str| row[name].as_f64().unwrap();
        let least = number("fitness") - number("regret_per_round");
        for (name, expected) in [
            ("fitness", fitness),
            ("fitness_worst_node", worst),
            ("regret_per_round_worst_node", worst - least),
            ("averaged_regret_per_round", averaged - least),
            ("accuracy_progressive", online),
            ("accuracy_test_last", test),
        ] {
            let found = number(name);
            assert!(
                (found - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                "{} {name}: {found}, {expected}",
                row["algorithm"]
            );
        }
        assert!(worst > fitness, "{}", row["algorithm"]);
    }
}

#[test]
fn oda_is_dpsda_at_level_inf_to_the_last_bit() {
    for decide in ["privacy.decide='published'", "privacy.decide='private'"] {
        let experiment = load(
            SETTING,
            &[
                "algorithm.name=['dpsda-c', 'oda-c', 'dpsda-ps', 'oda-ps']",
                "privacy.level=[inf, 1.0]",
                decide,
            ],
        );
        let rows = rows(&experiment, 0);
        assert_eq!(rows.len(), 6, "oda-c and oda-ps run once");
        let of = |name: &str| {
            let mut row = rows
                .iter()
                .find(|row| row["algorithm"] == name && row["mechanism"] == "none")
                .unwrap()
                .clone();
            ["run", "algorithm", "level"].iter().for_each(|key| _ = row.remove(*key));
            row
        };
        assert_eq!(of("oda-c"), of("dpsda-c"));
        assert_eq!(of("oda-ps"), of("dpsda-ps"));
        assert!(
            of("oda-c")["fitness_worst_node"].is_null()
                && of("oda-c")["regret_per_round_worst_node"].is_null()
        );
    }
}

/// One sample a round: only node 0 ever learns, and the others learn from it.
#[test]
fn fewer_samples_than_nodes_leave_some_without() {
    let experiment = load(SETTING, &["problem.batch=1", "privacy.level=inf", "rounds=400"]);
    for row in rows(&experiment, 0) {
        let fitness = row["fitness"].as_f64().unwrap();
        assert!(fitness < 0.6, "{}: {fitness}, and log 2 is what knowing nothing costs", row["algorithm"]);
        let accuracy = row["accuracy_test_averaged"].as_f64().unwrap();
        assert!(accuracy > 0.75, "{}: {accuracy}", row["algorithm"]);
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let experiment = load(SETTING, &[]);
    let run = |threads| rows(&experiment, threads);
    assert_eq!(run(1), run(3));
}
