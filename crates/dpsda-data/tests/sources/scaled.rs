//! Data with a scale and an intercept.

use super::*;

const FILE: &str = "
    trials = 2
    set.kind = 'free'
    network = { nodes = 2, graph = 'ring' }
    algorithm.name = 'dpsda-r'";

fn load(problem: &str, set: &[&str]) -> Prepared {
    let set: Vec<String> = set.iter().map(|set| (*set).to_owned()).collect();
    Prepared::load(&format!("problem = {problem}\n{FILE}"), &set, Path::new("")).unwrap()
}

const MUSHROOM: &str = "{ loss = 'logistic', data = 'mushroom', batch = 100, test = 24 }";

#[test]
fn stored_samples_are_scaled_once_and_keep_their_hash_labels_and_rows() {
    let (raw, unit) =
        (load(MUSHROOM, &[]), load(MUSHROOM, &["problem.scale=unit", "problem.intercept=true"]));
    let [source, scaled] = [&raw, &unit].map(|prepared| prepared.source(0).unwrap());
    assert_eq!((source.dim(), scaled.dim()), (112, 113));
    assert_eq!(
        (source.sha256(), source.len(), source.labels()),
        (scaled.sha256(), scaled.len(), scaled.labels())
    );
    let (before, after, again) =
        (raw.draw(0, 1).unwrap(), unit.draw(0, 1).unwrap(), unit.draw(0, 0).unwrap());
    assert_eq!((&before.train, &before.test), (&after.train, &after.test));
    assert_eq!(before.samples.labels, after.samples.labels);
    assert!(std::sync::Arc::ptr_eq(&after.samples, &again.samples), "no copy per trial");
    assert!(after.samples.features.is_sparse());
    // A mushroom has 21 attributes.
    let (old, new) = (row(&before.samples, 7), row(&after.samples, 7));
    for (old, new) in old.iter().zip(&new) {
        assert!((new - old / 21_f64.sqrt()).abs() < 1e-15);
    }
    assert_eq!(new.last(), Some(&1.0));
}

#[test]
fn drawn_samples_are_scaled_in_every_trial() {
    let problem =
        "{ loss = 'squared', data = 'synthetic-regression', features = 2, batch = 5, train = 20, test = 5 }";
    let set = ["problem.scale={ lower = -0.25, upper = 0.25 }", "problem.intercept=true"];
    let (raw, scaled) = (load(problem, &[]), load(problem, &set));
    for trial in 0..2 {
        let (before, after) = (raw.draw(0, trial).unwrap(), scaled.draw(0, trial).unwrap());
        assert_eq!((&before.train, &before.samples.labels), (&after.train, &after.samples.labels));
        let (old, new) = (row(&before.samples, 3), row(&after.samples, 3));
        let want: Vec<f64> = old.iter().map(|a| (a / 0.25).clamp(-1.0, 1.0)).chain([1.0]).collect();
        assert_eq!(new, want);
    }
}

#[test]
fn a_sweep_over_scales_has_a_source_for_each_and_the_same_costs_elsewhere() {
    let swept = load(MUSHROOM, &["problem.scale=['none', 'unit', { lower = -1, upper = 1 }]"]);
    assert_eq!(swept.runs.len(), 3);
    let lengths = (0..3).map(|run| {
        let draw = swept.draw(run, 0).unwrap();
        row(&draw.samples, 0).iter().map(|a| a * a).sum::<f64>().round()
    });
    assert_eq!(lengths.collect::<Vec<_>>(), [21.0, 1.0, 21.0]);
}

#[test]
fn a_stream_has_the_constant_beside_its_features() {
    let file = format!(
        "problem = {{ loss = 'hinge', data = 'stream', features = 3, intercept = true }}\nrounds = 9\n{FILE}"
    );
    let hosted = Prepared::hosted(&file, &[], Path::new("")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(hosted.runs[0].spec.blocks().dim(), 4);
    assert!(hosted.ready(0).is_err());
}
