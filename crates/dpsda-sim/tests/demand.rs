//! Demand response, as docs/applications.md tells it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use dpsda_sim::{Experiment, Options, Outcome, Progress, folder};
use serde_json::{Map, Value};

type Row = Map<String, Value>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn load(settings: &[&str]) -> Result<Experiment, dpsda::Error> {
    let folder = root().join("experiments/applications");
    let text = std::fs::read_to_string(folder.join("demand.toml")).unwrap();
    let settings: Vec<String> = settings.iter().map(|&s| s.to_owned()).collect();
    Experiment::load(&text, &settings, &folder)
}

fn run(settings: &[&str]) -> (Vec<Row>, Outcome) {
    let experiment = load(settings).unwrap();
    let outcome = experiment.run(Options::default(), &Progress::default());
    (folder::summary_rows(&experiment, &outcome), outcome)
}

/// The whole file, run once.
fn all() -> &'static [Row] {
    static ALL: OnceLock<Vec<Row>> = OnceLock::new();
    ALL.get_or_init(|| run(&[]).0)
}

fn number(row: &Row, column: &str) -> f64 {
    row[column].as_f64().unwrap_or(f64::INFINITY)
}

fn of(algorithm: &str, epsilon: f64) -> &'static Row {
    all().iter().find(|row| row["algorithm"] == algorithm && number(row, "epsilon") == epsilon).unwrap()
}

#[test]
fn relaying_costs_at_most_a_tenth_more_than_the_centre_and_regret_grows_slower_than_the_root_of_t() {
    let open = f64::INFINITY;
    let (relay, centre) = (of("dpsda-r", open), of("dpcda", open));
    let ratio = number(relay, "regret_per_round") / number(centre, "regret_per_round");
    assert!((0.5..1.1).contains(&ratio), "{ratio}");
    assert!(number(relay, "regret_exponent") < 0.55);
    for row in all() {
        assert!(number(row, "comparator_gap") < 1e-5, "regret is against a certified best decision");
        assert!(number(row, "violation_max") < 1e-12);
    }
}

#[test]
fn with_a_promise_relaying_homes_still_do_better_than_equal_shares() {
    let (equal, _) =
        run(&["algorithm.name=dpsda-r", "privacy.epsilon=inf", "trials=1", "algorithm.step=1e-12"]);
    for epsilon in [1.0, 0.2] {
        let row = of("dpsda-r", epsilon);
        assert!(number(row, "fitness") < number(&equal[0], "fitness"), "{epsilon}");
        assert!(number(row, "discomfort") < number(&equal[0], "discomfort"), "{epsilon}");
        assert!(number(row, "spent_event") <= epsilon * (1.0 + 1e-9));
        let claim = row["claim"].as_str().unwrap();
        assert!(claim.contains("per agent and round, whole run, all links and decisions"), "{claim}");
    }
}

#[test]
fn a_set_point_is_between_nothing_and_full_power_whatever_the_noise() {
    let once =
        ["algorithm.name=dpsda-r", "privacy.epsilon=0.2", "trials=1", "rounds=672", "record=[\"decisions\"]"];
    let (_, outcome) = run(&once);
    let decisions = &outcome.runs[0].trials[&0].trial.decisions;
    assert_eq!(decisions.len(), 672);
    let mut edges = 0;
    for own in decisions.iter().flat_map(|x| x.chunks_exact(2)) {
        for wind in [0.0, 1.0] {
            let power = own[0] + (0.421 + own[1]) * wind;
            assert!((-1e-12..=1.0 + 1e-12).contains(&power), "{power}");
        }
        edges += usize::from(own[0] == 0.0 || own[0] == 0.4);
    }
    assert!(edges > 100, "with this much noise the box is felt");
}

#[test]
fn the_table_of_applications_md_is_what_the_file_gives() {
    let text = std::fs::read_to_string(root().join("docs/applications.md")).unwrap();
    for row in all() {
        let epsilon = number(row, "epsilon");
        let begin = format!("| {} | {epsilon} |", row["algorithm"].as_str().unwrap());
        let line =
            text.lines().find(|line| line.starts_with(&begin)).unwrap_or_else(|| panic!("no row {begin}"));
        let told: Vec<&str> = line.trim_matches('|').split('|').skip(2).map(str::trim).collect();
        let columns = [
            ("tracking_error", 3),
            ("discomfort", 3),
            ("fitness", 4),
            ("regret_per_round", 4),
            ("regret_exponent", 2),
            ("spent_person", 1),
        ];
        let found = columns.map(|(column, digits)| {
            row[column].as_f64().map_or_else(String::new, |x| format!("{x:.digits$}"))
        });
        assert_eq!(told, found, "{begin}");
    }
}

#[test]
fn a_start_has_one_number_for_the_constant_and_one_per_signal() {
    for wrong in ["problem.start=[0.0]", "problem.start=[0.0, 0.4, 0.1]"] {
        let error = load(&[wrong]).err().unwrap().to_string();
        assert!(
            error.starts_with("problem.start = ") && error.contains("expected 2 finite numbers"),
            "{error}"
        );
    }
}
