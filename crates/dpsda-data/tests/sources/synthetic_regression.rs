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

/// With rules 1 a file has the data that it always had: these numbers.
#[test]
fn old_rules_have_the_old_numbers() {
    let source = build("synthetic-regression", "features = 3", b"").unwrap();
    let draw = source.draw(seed(1).with(Generator::First), 2, 1, true);
    let found: Vec<u64> = (0..3)
        .flat_map(|r| row(&draw.samples, r).into_iter().chain([draw.samples.labels[r]]))
        .map(f64::to_bits)
        .collect();
    assert_eq!(found, OLD);
}

const OLD: [u64; 12] = [
    0x3FC3_1833_AEA9_A8C8,
    0xBFD3_B2EE_F1AC_3242,
    0xBFCC_FA08_72D8_B7C4,
    0xBFE8_3A41_18B8_3D4B,
    0xBFB1_510D_A9E4_E828,
    0x3FD2_4E2F_7226_3CCE,
    0x3FD4_5539_0E10_B4A0,
    0x3FF6_ED57_CC54_03DF,
    0xBFA2_2B51_FA1F_0640,
    0x3FD6_9782_3FFA_A0F8,
    0x3FDD_3EA2_0F97_9CC4,
    0x3FEF_DBF5_29A6_9DBF,
];

#[test]
fn rows_do_not_depend_on_threads_or_on_how_many_there_are() {
    let source = build("synthetic-regression", "features = 1500", b"").unwrap();
    let [few, many] = [3, 300].map(|train| source.draw(seed(2), train, 2, true)); // the second is drawn by threads
    for (a, b) in few.train.iter().chain(&few.test).zip(many.train[..3].iter().chain(&many.test)) {
        assert_eq!(row(&few.samples, *a), row(&many.samples, *b));
        assert_eq!(few.samples.labels[*a].to_bits(), many.samples.labels[*b].to_bits());
    }
}

/// Features of 24 bits: odd numbers of units, all of them, and as evenly as chance has it.
#[test]
fn features_are_odd_numbers_of_units() {
    let source = build("synthetic-regression", "features = 1000", b"").unwrap();
    let draw = source.draw(seed(0), 100, 0, true);
    let mut runs = [0.0; 64];
    for r in 0..100 {
        for a in row(&draw.samples, r) {
            let units = a * f64::from(1 << 25);
            assert!(units.fract() == 0.0 && units.abs() < f64::from(1 << 24) && units.rem_euclid(2.0) == 1.0);
            runs[((a + 0.5) * 64.0) as usize] += 1.0;
        }
    }
    let expected = 100_000.0 / 64.0;
    // 63 degrees of freedom: above 130 once in a million.
    let chi_square: f64 = runs.iter().map(|c| (c - expected) * (c - expected) / expected).sum();
    assert!(chi_square < 130.0, "{chi_square}");
}

#[test]
fn the_largest_and_the_smallest_ranges_keep_their_features() {
    for range in ["1e100", "1e-100", "1e-30", "1e30"] {
        let source = build("synthetic-regression", &format!("feature_range = {range}"), b"").unwrap();
        let draw = source.draw(seed(0), 50, 0, true);
        let limit: f64 = range.parse().unwrap();
        let sizes: Vec<f64> = (0..50).flat_map(|r| row(&draw.samples, r)).map(|a| a.abs() / limit).collect();
        assert!(
            sizes.iter().all(|a| *a > 0.0 && *a < 1.000_000_1) && sizes.iter().any(|a| *a > 0.9),
            "{range}"
        );
    }
}
