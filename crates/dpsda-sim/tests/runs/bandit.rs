//! Two-point feedback: nodes that are told costs and no gradients.

use serde_json::{Map, Value};

use crate::{Rows, load, rows};

const SETTING: &str = r#"
rounds = 400
trials = 4
[problem]
loss = "squared"
data = "synthetic-regression"
features = 12
feedback = ["gradient", "two-point"]
[set]
kind = "box"
lower = -5.0
upper = 5.0
[network]
nodes = 4
graph = "complete"
[algorithm]
name = ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"]
step = 0.3
"#;

fn run(overrides: &[&str], threads: usize) -> Rows {
    rows(&load(SETTING, overrides), threads)
}

fn regret(rows: &[Map<String, Value>], name: &str, feedback: &str) -> f64 {
    let is = |row: &&Map<String, Value>| row["algorithm"] == name && row["problem.feedback"] == feedback;
    rows.iter().find(is).unwrap()["regret_per_round"].as_f64().unwrap()
}

const NAMES: [&str; 4] = ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"];

#[test]
fn regret_with_values_alone_is_larger_and_still_falls_with_time() {
    let (short, long) = (run(&[], 0), run(&["rounds=6400"], 0));
    for name in NAMES {
        let (gradient, probed) = (regret(&short, name, "gradient"), regret(&short, name, "two-point"));
        assert!(probed > gradient && probed < 6.0 * gradient, "{name}: {probed} for {gradient}");
        // R/T falls at least like T^-0.4 over a factor of 16: the total is sublinear.
        let later = regret(&long, name, "two-point");
        assert!(later < probed * 16_f64.powf(-0.4), "{name}: {later} after {probed}");
    }
}

#[test]
fn a_node_with_one_coordinate_loses_nothing_on_a_quadratic_cost() {
    let rows = run(&["network.nodes=12", "rounds=100"], 0);
    for name in NAMES {
        let (gradient, probed) = (regret(&rows, name, "gradient"), regret(&rows, name, "two-point"));
        assert!((gradient - probed).abs() < 1e-6 * gradient, "{name}: {probed} for {gradient}");
    }
}

#[test]
fn probes_are_clipped_and_noised_per_round_and_per_example_and_are_the_same_on_any_number_of_threads() {
    let noise = [
        "privacy.mechanism='discrete-gaussian'",
        "privacy.epsilon=20",
        "privacy.delta=1e-5",
        "privacy.clip=2",
    ];
    for adjacency in ["privacy.adjacency='round'", "privacy.adjacency='example'"] {
        let extra =
            [&noise[..], &[adjacency, "problem.batch=3", "rounds=50", "problem.gradient_error=0.1"]].concat();
        let (one, many) = (run(&extra, 1), run(&extra, 3));
        assert_eq!(one, many);
        for name in NAMES {
            let row =
                one.iter().find(|r| r["algorithm"] == name && r["problem.feedback"] == "two-point").unwrap();
            assert!(row["regret_per_round"].as_f64().unwrap().is_finite());
            let spent = row["spent_event"].as_f64().unwrap();
            assert!(spent > 19.0 && spent <= 20.0, "{name}: {spent}: a probe costs what a gradient costs");
        }
    }
}

#[test]
fn the_distance_of_probes_does_not_matter_to_those_who_see_gradients() {
    let rows = run(&["problem.probe=[0.1,1]", "rounds=20", "algorithm.name='dpsda-r'"], 0);
    assert_eq!(rows.len(), 3, "gradients once, and two probes");
}
