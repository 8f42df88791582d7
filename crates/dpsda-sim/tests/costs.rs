//! Any convex cost, from the file to regret: the relay stays near one central learner, and the comparator is right.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::path::{Path, PathBuf};

use dpsda::metric::{MetricValue, dynamic_regret_per_round, regret_exponent, regret_per_round};
use dpsda_sim::check::Check;
use dpsda_sim::folder::summary_rows;
use dpsda_sim::{Experiment, Options, Outcome, Progress};
use serde_json::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/costs")
}

fn load(name: &str, overrides: &[&str]) -> Experiment {
    let path = folder().join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    Experiment::load(&text, &overrides, path.parent().unwrap()).unwrap()
}

fn run(experiment: &Experiment) -> Outcome {
    experiment.run(Options::default(), &Progress::default())
}

/// The mean of a metric over the trials of the run of an algorithm.
fn of(experiment: &Experiment, outcome: &Outcome, algorithm: &str) -> f64 {
    let index = experiment.runs.iter().position(|run| run.spec.algorithm().name() == algorithm).unwrap();
    let trials = outcome.trials(experiment, &outcome.runs[index]);
    trials.mean(&regret_per_round::LISTING).unwrap()
}

fn number(value: &MetricValue) -> f64 {
    let MetricValue::Number(number) = value else { panic!("{value:?} is no number") };
    *number
}

/// Without noise, on the graph of Fig. 2.
#[test]
fn the_relay_stays_within_a_tenth_of_the_central_learner_for_every_cost() {
    // Routing has a large decision: two paths per pair, and one trial.
    let short = ["trials=1", "problem.paths=2", "rounds=1000"];
    let files = [
        ("tracking.toml", &[][..]),
        ("expert.toml", &[]),
        ("portfolio.toml", &[]),
        ("../applications/routing.toml", &short),
    ];
    for (name, overrides) in files {
        let experiment = load(name, overrides);
        let outcome = run(&experiment);
        let [relay, central] = ["dpsda-r", "dpcda"].map(|name| of(&experiment, &outcome, name));
        assert!(central > 0.0 && relay <= 1.10 * central, "{name}: {relay} against {central}");
        for beside in ["dpsda-c", "dpsda-ps"] {
            let regret = of(&experiment, &outcome, beside);
            assert!(regret.is_finite() && regret > 0.0, "{name}: {beside} stands beside them, with {regret}");
        }
        for run in &outcome.runs {
            let trials = outcome.trials(&experiment, run);
            let listing = (regret_exponent::LISTING.build)();
            let algorithm = experiment.runs[run.index].spec.algorithm().name();
            if algorithm == "dpsda-r" {
                let exponent = number(&listing.of_run(&trials));
                assert!(exponent <= 0.55, "{name}, {algorithm}: regret grows like T^{exponent}");
            }
            assert!(run.certified, "{name}, {algorithm}: the best decision is known to {} only", run.gap);
        }
    }
}

/// On a wide box the gradient is zero at `x_i = mean p_i + (mean r - sum_k mean p_k) / (n + 1)`.
#[test]
fn the_best_set_points_are_those_of_the_closed_form() {
    let experiment = load("tracking.toml", &["algorithm.name=dpcda", "set.lower=-9", "set.upper=9"]);
    let outcome = run(&experiment);
    let text = std::fs::read_to_string(folder().join("tracking.csv")).unwrap();
    let rows: Vec<Vec<f64>> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .map(|line| line.split(',').map(|x| x.parse().unwrap()).collect())
        .collect();
    let (rounds, agents) = (rows.len() as f64, rows[0].len() - 1);
    let mean = |k: usize| rows.iter().map(|row| row[k]).sum::<f64>() / rounds;
    let wishes: f64 = (1..=agents).map(mean).sum();
    let more = (mean(0) - wishes) / (agents as f64 + 1.0);
    let x: Vec<f64> = (1..=agents).map(|k| mean(k) + more).collect();
    let total: f64 = x.iter().sum();
    let cost = |row: &Vec<f64>| {
        (total - row[0]).powi(2) + x.iter().zip(&row[1..]).map(|(x, wish)| (x - wish).powi(2)).sum::<f64>()
    };
    let least = rows.iter().map(cost).sum::<f64>() / rounds;
    let found = outcome.least_cost(&outcome.runs[0], 0, rows.len() as u64).unwrap();
    assert!((found - least).abs() <= 1e-5, "{found} instead of {least}");
}

#[test]
fn a_sequence_of_more_segments_is_a_stronger_opponent() {
    let dynamic = |table: &str| {
        let experiment = load("tracking.toml", &["algorithm.name=dpcda", &format!("dynamic={table}")]);
        let outcome = run(&experiment);
        let trials = outcome.trials(&experiment, &outcome.runs[0]);
        let regret = trials.mean(&regret_per_round::LISTING).unwrap();
        let metric = (dynamic_regret_per_round::LISTING.build)();
        (regret, number(&metric.of_run(&trials)))
    };
    let (fixed, one) = dynamic("{ segments = 1, borders = 1 }");
    assert!((fixed - one).abs() < 1e-5, "one segment is a fixed decision: {fixed}, {one}");
    let (_, eight) = dynamic("{ segments = 8, borders = 16 }");
    assert!(eight > one, "{eight} against {one}");
}

#[test]
fn a_cost_with_a_set_of_its_own_takes_no_other() {
    let text = std::fs::read_to_string(folder().join("portfolio.toml")).unwrap();
    let refused =
        |set: &str| Experiment::load(&text, &[set.to_owned()], &folder()).err().map(|e| e.to_string());
    assert_eq!(refused("set={ kind = 'simplex', psi = 'entropic' }"), None);
    let error = refused("set={ kind = 'box', lower = 0.0, upper = 1.0 }").unwrap();
    assert!(error.starts_with("set.kind = \"box\"") && error.contains("use kind = \"simplex\""), "{error}");
}

#[test]
fn what_does_not_fit_is_refused_with_key_value_and_remedy() {
    let refused = |overrides: &[&str]| {
        let text = std::fs::read_to_string(folder().join("tracking.toml")).unwrap();
        let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
        Experiment::load(&text, &overrides, &folder()).err().unwrap().to_string()
    };
    for (overrides, says) in [
        (&["problem.cost=trakking"][..], &["problem.cost = \"trakking\"", "did you mean `tracking`?"][..]),
        (&["problem.reference=refference"], &["problem.reference", "did you mean `reference`?"]),
        (&["problem.path=nowhere.csv"], &["nowhere.csv", "cannot be read"]),
        (&["problem.follow=-1.0"], &["problem.follow = -1", "at least 0"]),
        (&["problem.experts=3"], &["problem.experts", "problem.cost = \"expert\""]),
        (&["problem.agents=['wish0', 'wish0']"], &["problem.agents", "`wish0` is listed twice"]),
        (&["problem.agents=['wish0', 'reference']"], &["problem.agents", "public"]),
        (&["problem.signals=['wish0']", "problem.agents=['wish0', 'wish1']"], &["problem.agents", "public"]),
        (&["problem.agents=[]"], &["problem.agents", "at least one column"]),
        (&["rounds=2001"], &["rounds = 2001", "2000 rounds"]),
        (
            &["problem.signals=['wish6']", "network.blocks=[3, 9]"],
            &["network.blocks", "a node owns whole agents"],
        ),
        (&["algorithm.name=dpdola"], &["algorithm.name = \"dpdola\"", "its own samples"]),
        (&["network.nodes=8"], &["network.nodes = 8", "7 agents"]),
        (&["dynamic.segments=65"], &["dynamic.segments = 65", "at most 64"]),
        (&["dynamic.segment=3"], &["dynamic.segment"]),
        (
            &[
                "privacy.adjacency=example",
                "privacy.mechanism=toeplitz",
                "privacy.epsilon=1.0",
                "privacy.clip=1.0",
            ],
            &["privacy.adjacency = \"example\"", "\"round\" or \"agent\""],
        ),
    ] {
        let error = refused(overrides);
        assert!(says.iter().all(|word| error.contains(word)), "{overrides:?}: {error}");
    }
}

#[test]
fn a_table_may_hold_columns_that_are_no_numbers_and_errors_name_its_lines() {
    let desk = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(folder().join("tracking.toml")).unwrap();
    let load = |table: &str, overrides: &[&str]| {
        std::fs::write(desk.path().join("tracking.csv"), table).unwrap();
        let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
        let three = ["network={ graph = 'ring' }".to_owned()];
        Experiment::load(&text, &[&three[..], &overrides].concat(), desk.path())
    };
    let hours = "time,reference,anna,ben\n00:00,1,0.5,0.5\n00:15,2,1,0\n";
    let read = load(hours, &[]).unwrap();
    let check = Check::new(&read);
    assert_eq!(read.runs[0].spec.blocks().nodes(), 2);
    let table = check.data_json(&read)[0].clone();
    assert_eq!(table["columns"][1], json!({ "role": "wishes", "names": ["anna", "ben"] }));
    assert_eq!(table["columns"][2], json!({ "role": "not used", "names": ["time"] }));
    assert_eq!(table["sha256"].as_str().map(str::len), Some(64));
    let refused = |table: &str, overrides: &[&str]| load(table, overrides).err().unwrap().to_string();
    assert!(refused(hours, &["problem.agents=['time']"]).starts_with("tracking.csv, line 2, column `time`"));
    let gap = refused("reference,anna,ben\n1,2,3\n1,secret,3\n", &[]);
    assert!(gap.starts_with("tracking.csv, line 3, column `anna`") && !gap.contains("secret"), "{gap}");
}

/// The private columns by agent, the public ones, and what an event is, before everything else.
#[test]
fn a_promise_to_agents_says_what_is_private_and_a_run_without_noise_has_an_infinite_epsilon() {
    let noise = [
        "privacy={ mechanism = 'discrete-gaussian', epsilon = [inf, 1.0], delta = 1e-5, clip = 1.0, adjacency = 'agent' }",
    ];
    let words = ["problem.agent=home", "problem.round=hour", "algorithm.name=dpsda-r", "rounds=5"];
    let experiment = load("tracking.toml", &[&noise[..], &words].concat());
    let check = Check::new(&experiment);
    let runs = check.runs_json(&experiment);
    for (k, run) in runs.as_array().unwrap().iter().enumerate() {
        let says: Vec<&str> = run["privacy"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        if k == 0 {
            let silent =
                "Nothing is protected: this run adds no noise. The clip bounds one home's wish in one hour.";
            assert_eq!(says[0], silent);
            continue;
        }
        assert!(says[0].starts_with("An event is one home's wish in one hour;"), "{says:?}");
        assert!(says[1].starts_with(
            "Private: the wishes in tracking.csv. Each home has one column: home 0 is wish0, 1 is wish1"
        ));
        assert_eq!(says[2], "Public: reference (reference).");
    }
    let rows = summary_rows(&experiment, &run(&experiment));
    assert_eq!(rows.iter().map(|row| row["epsilon"].clone()).collect::<Vec<_>>(), [json!("inf"), json!(1.0)]);
}
