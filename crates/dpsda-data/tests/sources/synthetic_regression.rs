//! The drawn data of section 6.1.

use super::*;

/// Least squares: the normal equations, by Gauss and Jordan.
fn fit(draw: &Draw) -> Vec<f64> {
    let d = draw.samples.features.dim();
    let mut m = vec![vec![0.0; d + 1]; d];
    for &r in &draw.train {
        let a = row(&draw.samples, r);
        for i in 0..d {
            (0..d).for_each(|j| m[i][j] += a[i] * a[j]);
            m[i][d] += a[i] * draw.samples.labels[r];
        }
    }
    for i in 0..d {
        let pivot = m[i].clone();
        for (_, line) in m.iter_mut().enumerate().filter(|(k, _)| *k != i) {
            let c = line[i] / pivot[i];
            (0..=d).for_each(|j| line[j] -= c * pivot[j]);
        }
    }
    (0..d).map(|i| m[i][d] / m[i][i]).collect()
}

fn variance(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n;
    values.map(|v| (v - mean).powi(2)).sum::<f64>() / n
}

#[test]
fn has_the_distributions_of_section_6_1() {
    let source = build("synthetic-regression", "", b"").unwrap();
    assert_eq!((source.dim(), source.len(), source.sha256()), (21, None, None));
    let draw = source.draw(seed(0), 20_000, 0, true);
    let features: Vec<f64> = draw.train.iter().flat_map(|&r| row(&draw.samples, r)).collect();
    assert!(features.iter().all(|a| a.abs() <= 0.5));
    assert!((features.iter().sum::<f64>() / 420_000.0).abs() < 0.003);
    assert!((variance(features.iter().copied()) - 1.0 / 12.0).abs() < 0.001);
    let truth = fit(&draw);
    let errors = draw
        .train
        .iter()
        .map(|&r| draw.samples.labels[r] - draw.samples.features.dot(r, &truth))
        .collect::<Vec<_>>();
    assert!((variance(errors.iter().copied()) - 0.2).abs() < 0.01);
}

#[test]
fn draws_a_normal_truth() {
    let source =
        build("synthetic-regression", "features = 40\nnoise_variance = 0.0\nredraw_truth = true", b"")
            .unwrap();
    let truths: Vec<f64> = (0..50).flat_map(|trial| fit(&source.draw(seed(trial), 60, 0, true))).collect();
    assert!((truths.iter().sum::<f64>() / 2000.0).abs() < 0.1);
    assert!((variance(truths.iter().copied()) - 1.0).abs() < 0.15);
    let beyond_two = truths.iter().filter(|x| x.abs() > 2.0).count();
    assert!((50..140).contains(&beyond_two), "expected about 91 of 2000, found {beyond_two}");
}

#[test]
fn shares_the_truth_between_trials_unless_told_otherwise() {
    for (redraw, shared) in [(false, true), (true, false)] {
        let problem = format!("features = 5\nnoise_variance = 0.0\nredraw_truth = {redraw}");
        let source = build("synthetic-regression", &problem, b"").unwrap();
        let [a, b] = [0, 1].map(|trial| fit(&source.draw(seed(trial), 50, 0, true)));
        let same = a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert_eq!(same, shared);
    }
}

#[test]
fn tests_longer_runs_on_the_same_samples() {
    let source = build("synthetic-regression", "feature_range = 2", b"").unwrap();
    let [short, long] = [5, 50].map(|train| source.draw(seed(0), train, 3, true));
    for (a, b) in short.test.iter().zip(&long.test) {
        assert_eq!(row(&short.samples, *a), row(&long.samples, *b));
    }
    assert!(row(&short.samples, short.train[0]) != row(&short.samples, short.test[0]));
}

#[test]
fn has_no_classes() {
    fails(
        build("synthetic-regression", "", b"").unwrap().labels(),
        "problem.data = \"synthetic-regression\": its labels are numbers, not the classes -1 and +1 \
         (use the loss \"squared\" or \"huber\")",
    );
}

#[test]
fn refuses_what_cannot_be_drawn() {
    let bad = |problem| build("synthetic-regression", problem, b"");
    fails(bad("features = 0"), "problem.features = 0: expected a whole number of at least 1");
    fails(bad("features = 100000001"), "problem.features = 100000001: expected at most 100000000");
    fails(bad("feature_range = 0"), "problem.feature_range = 0: expected a positive number of at most 1e100");
    fails(
        bad("feature_range = inf"),
        "problem.feature_range = inf: expected a positive number of at most 1e100",
    );
    fails(bad("noise_variance = -1"), "problem.noise_variance = -1: expected a number from 0 to 1e100");
}
