use super::super::Bytes;
use super::*;

fn samples(features: impl Features + 'static) -> Arc<Samples> {
    let labels = (0..features.len()).map(|row| row as f64).collect();
    Arc::new(Samples::new(features, labels).unwrap())
}

fn rows(samples: &Samples) -> Vec<Vec<f64>> {
    let one = |row| {
        let mut numbers = vec![0.0; samples.features.dim()];
        samples.features.visit(row, &mut |column, a| numbers[column] = a);
        numbers
    };
    (0..samples.features.len()).map(one).collect()
}

/// The same numbers in all three forms.
fn forms() -> [Arc<Samples>; 3] {
    let numbers = [0.0, 3.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0];
    let dense = Dense::new(numbers.to_vec(), 4).unwrap();
    let sparse = Sparse::new(vec![0, 2, 2], vec![1, 3], vec![3.0, 4.0], 4).unwrap();
    let bytes = Bytes::new(numbers.map(|a| a as u8).to_vec(), 4, 1.0).unwrap();
    [samples(dense), samples(sparse), samples(bytes)]
}

#[test]
fn all_forms_of_the_same_numbers_are_scaled_to_the_same_numbers() {
    let each = Scaling::between_each(vec![-1.0, 0.0, -2.0, -8.0], vec![1.0, 2.0, 2.0, 8.0]).unwrap();
    let cases = [
        (Scaling::none(), [[0.0, 3.0, 0.0, 4.0], [0.0; 4]]),
        (Scaling::unit(), [[0.0, 0.6, 0.0, 0.8], [0.0; 4]]),
        (Scaling::between(-4.0, 4.0).unwrap(), [[0.0, 0.75, 0.0, 1.0], [0.0; 4]]),
        (Scaling::between(0.0, 4.0).unwrap(), [[-1.0, 0.5, -1.0, 1.0], [-1.0; 4]]),
        (each, [[0.0, 1.0, 0.0, 0.5], [0.0, -1.0, 0.0, 0.0]]),
    ];
    for (scaling, want) in cases {
        for form in forms() {
            let found = scaling.apply(Arc::clone(&form)).unwrap();
            assert_eq!(rows(&found), want, "{scaling:?}");
            assert_eq!(found.labels, form.labels);
            let found = scaling.clone().intercept(true).apply(form).unwrap();
            let with_one: Vec<Vec<f64>> = want.iter().map(|row| [&row[..], &[1.0]].concat()).collect();
            assert_eq!(rows(&found), with_one, "{scaling:?} and an intercept");
        }
    }
}

#[test]
fn sparse_features_stay_sparse_where_zero_stays_zero() {
    let [_, sparse, _] = forms();
    let (centred, shifted) = (Scaling::between(-1.0, 1.0).unwrap(), Scaling::between(0.0, 1.0).unwrap());
    for (scaling, stays) in
        [(Scaling::none(), true), (Scaling::unit(), true), (centred, true), (shifted, false)]
    {
        for intercept in [false, true] {
            let found = scaling.clone().intercept(intercept).apply(Arc::clone(&sparse)).unwrap();
            assert_eq!(found.features.is_sparse(), stays, "{scaling:?}");
        }
    }
}

#[test]
fn nothing_is_copied_without_a_scale() {
    let [dense, ..] = forms();
    assert!(Arc::ptr_eq(&Scaling::none().apply(Arc::clone(&dense)).unwrap(), &dense));
}

#[test]
fn an_intercept_multiplies_and_adds_in_every_block_as_a_stored_one_does() {
    let numbers: Vec<f64> = (0..34).map(|k| f64::from(k % 5) - 1.5).collect();
    let stored: Vec<f64> = numbers.chunks(17).flat_map(|row| [row, &[1.0]].concat()).collect();
    let stored = Dense::new(stored, 18).unwrap();
    let view = Scaling::none().intercept(true).apply(samples(Dense::new(numbers, 17).unwrap())).unwrap();
    let x: Vec<f64> = (0..18).map(|j| f64::from(j % 7) - 3.0).collect();
    for row in 0..2 {
        assert_eq!(view.features.dot(row, &x), stored.dot(row, &x)); // halves: exact in any order
        for (start, end) in [(0, 18), (3, 5), (5, 17), (17, 18), (16, 18), (18, 18)] {
            let (mut a, mut b) = (vec![1.0; end - start], vec![1.0; end - start]);
            view.features.add_to(row, start..end, 3.0, &mut a);
            stored.add_to(row, start..end, 3.0, &mut b);
            assert_eq!(a, b, "{start}..{end}");
        }
    }
}

#[test]
fn every_length_becomes_one_however_large_or_small() {
    for size in [1e-310, 1e-200, 1.0, 1e200, 1.7e308] {
        let found = Scaling::unit().apply(samples(Dense::new(vec![size, -size], 2).unwrap())).unwrap();
        let length: f64 = rows(&found)[0].iter().map(|a| a * a).sum();
        assert!((length - 1.0).abs() < 1e-12, "{size}: {length}");
    }
    let wide = Scaling::between(-1.7e308, 1.7e308).unwrap();
    assert_eq!(rows(&wide.apply(samples(Dense::new(vec![1.7e308, 0.0], 2).unwrap())).unwrap()), [[1.0, 0.0]]);
}

#[test]
fn bounds_that_do_not_fit_are_refused_with_the_number_and_the_remedy() {
    let said = |found: Result<Scaling, Error>| found.unwrap_err().to_string();
    assert_eq!(said(Scaling::between(1.0, 1.0)), "lower = 1: upper is 1 (lower must be below upper)");
    for (bound, side) in [(f64::NAN, "lower"), (f64::NEG_INFINITY, "lower")] {
        assert!(
            said(Scaling::between(bound, 1.0))
                .starts_with(&format!("{side} = {bound}: expected a finite number"))
        );
    }
    assert!(said(Scaling::between(0.0, f64::INFINITY)).starts_with("upper = inf: expected a finite number"));
    let second = Scaling::between_each(vec![0.0, 5.0], vec![1.0, 4.0]);
    assert_eq!(said(second), "lower[1] = 5: upper[1] is 4 (lower must be below upper)");
    let short = Scaling::between_each(vec![0.0, 5.0], vec![1.0]);
    assert_eq!(said(short), "upper = 1 numbers: there are 2 lower bounds (give one per feature)");
    let [dense, ..] = forms();
    let two = Scaling::between_each(vec![0.0; 2], vec![1.0; 2]).unwrap();
    assert_eq!(
        two.apply(dense).unwrap_err().to_string(),
        "lower = 2 numbers: 2 bounds for 4 features (give one per feature, or one number for all)"
    );
}
