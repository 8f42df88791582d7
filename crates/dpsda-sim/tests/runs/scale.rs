//! Raw features: scaled they are learned from, unscaled there is a warning.

use dpsda_sim::check::Check;

use super::*;

const RAW: [&str; 2] = ["problem.scale=none", "problem.intercept=false"];

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn breast_cancer(set: &[&str]) -> Experiment {
    let base = root().join("experiments");
    let text = std::fs::read_to_string(base.join("breast-cancer.toml")).unwrap();
    let set: Vec<String> = set.iter().map(|set| (*set).to_owned()).collect();
    Experiment::load(&text, &set, &base).unwrap_or_else(|e| panic!("{e}"))
}

/// The warnings about data.
fn warnings(experiment: &Experiment) -> Vec<String> {
    Check::new(experiment).warnings().into_iter().filter(|w| w.starts_with("problem.data")).collect()
}

#[test]
fn raw_breast_cancer_data_are_learned_with_public_bounds_and_an_intercept() {
    let experiment = breast_cancer(&[]);
    assert_eq!(warnings(&experiment), [""; 0]);
    let run = &experiment.runs[0];
    assert_eq!((run.problem.batch(), run.spec.blocks().nodes(), run.trials), (10, 7, 10));
    assert_eq!((run.spec.blocks().dim(), run.spec.step().c), (31, 1.0));
    let rows = rows(&experiment, 0);
    let get = |column: &str| rows[0][column].as_f64().unwrap();
    let accuracy = get("accuracy_test_last");
    assert!(accuracy > 0.92, "{accuracy}");
    assert!(get("loss_test_last") < 0.3 && get("loss_test_averaged") < 0.4);
}

#[test]
fn without_scale_the_warning_says_how_long_examples_are_and_what_to_do() {
    let experiment = breast_cancer(&RAW);
    let said = warnings(&experiment);
    assert_eq!(said.len(), 1, "{said:?}");
    for words in [
        "problem.data = \"csv\": the longest of 450 examples has length ",
        "With algorithm.step = 1, even the last step moves the prediction for such examples by up to ",
        "where 1 is enough to decide a class",
        "problem.scale = { lower = .., upper = .. } maps each from bounds that are public knowledge, not taken from these data",
        "problem.scale = \"unit\"",
    ] {
        assert!(said[0].contains(words), "{words}: {}", said[0]);
    }
    let accuracy = rows(&experiment, 0)[0]["accuracy_test_last"].as_f64().unwrap();
    assert!(accuracy < 0.8, "the warning is right: {accuracy}");
    // A clip shortens gradients, not examples.
    let clipped = breast_cancer(&[RAW[0], RAW[1], "privacy.clip=1.0"]);
    assert!(warnings(&clipped)[0].contains(" and privacy.clip = 1, even"), "{:?}", warnings(&clipped));
    assert_eq!(warnings(&breast_cancer(&["problem.scale=unit"])), [""; 0]);
}

/// Samples `(features, label)` as a CSV file, and an experiment on it.
fn on(rows: &[(&[f64], f64)], set: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..rows[0].0.len()).map(|k| format!("f{k}")).collect();
    let mut text = format!("{},y\n", names.join(","));
    for (features, label) in rows {
        let features: Vec<String> = features.iter().map(f64::to_string).collect();
        text += &format!("{},{label}\n", features.join(","));
    }
    std::fs::write(folder.path().join("d.csv"), text).unwrap();
    let file = "
        problem = { loss = 'logistic', data = 'csv', path = 'd.csv', label = 'y' }
        set = { kind = 'ball', radius = 5.0 }
        network = { nodes = 2, graph = 'ring' }
        algorithm = { name = 'dpsda-r' }";
    let set: Vec<String> = set.iter().map(|set| (*set).to_owned()).collect();
    warnings(&Experiment::load(file, &set, folder.path()).unwrap_or_else(|e| panic!("{e}")))
}

#[test]
fn data_of_one_class_are_warned_about() {
    let said = on(&[(&[1.0, 0.0], 1.0), (&[0.0, 1.0], 1.0), (&[0.5, 1.0], 1.0)], &[]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with(
        "problem.data = \"csv\": all 3 labels to learn from are +1, so a model that always says +1"
    ));
    assert_eq!(on(&[(&[1.0, 0.0], 1.0), (&[0.0, 1.0], -1.0)], &[]), [""; 0]);
    let numbers = on(&[(&[1.0, 0.0], 1.0), (&[0.0, 1.0], 1.0)], &["problem.loss=squared"]);
    assert_eq!(numbers, [""; 0], "labels of a regression may be equal");
}

#[test]
fn constant_features_are_warned_about_unless_they_are_zero_or_serve_as_the_intercept() {
    let with = |constant: f64| [([0.5, constant, 0.0], 1.0), ([-0.5, constant, 0.0], -1.0)];
    let on = |rows: [([f64; 3], f64); 2], set: &[&str]| {
        on(&[(&rows[0].0, rows[0].1), (&rows[1].0, rows[1].1)], set)
    };
    assert_eq!(on(with(0.0), &[]), [""; 0]);
    assert_eq!(on(with(1.0), &[]), [""; 0]);
    for (constant, set) in
        [(3.0, &[][..]), (1.0, &["problem.intercept=true"]), (3.0, &["problem.intercept=true"])]
    {
        let said = on(with(constant), set);
        assert_eq!(said.len(), 1, "{constant} {set:?}: {said:?}");
        assert!(
            said[0].contains(&format!("feature 2 is {constant} in all 2 examples to learn from. ")),
            "{}",
            said[0]
        );
    }
    let narrow = on(with(7.0), &["problem.scale={ lower = [-1, -1, -1], upper = [1, 1, 1] }"]);
    assert!(
        narrow[0].contains("feature 2 is 1 in all 2")
            && narrow[0].contains("bounds that its values lie between")
    );
    let far = on(with(7.0), &["problem.scale={ lower = 100, upper = 200 }"]);
    assert!(
        far[0].contains("no feature differs") && far[0].contains("do problem.scale's bounds fit the data?"),
        "{far:?}"
    );
}

#[test]
fn long_examples_are_warned_about_in_regression_and_fast_steps_in_scaled_data() {
    let rows: &[(&[f64], f64)] = &[(&[30.0, 5.0], 3.0), (&[20.0, -5.0], 2.0), (&[10.0, 9.0], 1.0)];
    let said = on(rows, &["problem.loss=squared"]);
    assert!(said.len() == 1 && said[0].contains("labels are of the size 2.16"), "{said:?}");
    assert_eq!(on(rows, &["problem.loss=squared", "problem.scale={ lower = 0, upper = 30 }"]), [""; 0]);
    let fast = ["problem.loss=squared", "problem.scale=unit", "algorithm.step=1000.0", "set.radius=500.0"];
    let said = on(rows, &fast);
    assert!(said.len() == 1 && said[0].contains("use a smaller algorithm.step"), "{said:?}");
}

#[test]
fn no_experiment_of_the_repository_is_hopeless() {
    let mut checked = 0;
    for folder in ["experiments", "experiments/sweeps", "experiments/paper"] {
        for file in std::fs::read_dir(root().join(folder)).unwrap().map(|file| file.unwrap().path()) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            if !name.ends_with(".toml") || name == "book.toml" {
                continue; // the book is no experiment
            }
            let text = std::fs::read_to_string(&file).unwrap();
            if text.contains("\"cifar10-cat\"") {
                continue; // not bundled
            }
            let experiment = Experiment::load(&text, &[], file.parent().unwrap())
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(warnings(&experiment), [""; 0], "{name}");
            checked += 1;
        }
    }
    assert!(checked > 25, "{checked}");
}
