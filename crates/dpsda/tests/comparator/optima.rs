//! Against optima known by other means.

use dpsda::features::{Features, Samples, dense::Dense};
use dpsda::keys::Table;
use dpsda::loss::{Hinge, LOSSES, Loss, OwnLoss};
use dpsda::objective::{Batch, Objective};
use dpsda::regret::{Best, REACH, TOLERANCE, best};
use dpsda::rng::{Purpose, Seed, Stream};
use dpsda::set::{self, Ball, ConvexSet, SETS};
use dpsda::{Blocks, Keys};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use crate::{Opaque, solve, value};

fn loss(name: &str) -> Box<dyn Loss> {
    let entry = LOSSES.iter().find(|e| e.name == name).unwrap();
    (entry.build)(&Keys::new("problem", &Table::new())).unwrap()
}

fn the_set(text: &str, dim: usize) -> Box<dyn ConvexSet> {
    let table = dpsda_config::table(text).unwrap();
    set::from_keys(&Keys::new("set", &table), &Blocks::even(dim, 1).unwrap()).unwrap()
}

fn stream(case: u64) -> Stream {
    Seed::new(4).stream(Purpose::Data, case, 0)
}

/// Labels that a random decision nearly explains, as classes where the loss wants classes.
fn samples(rows: usize, dim: usize, classes: bool, rng: &mut Stream) -> Samples {
    let mut normal = || -> f64 { StandardNormal.sample(rng) };
    let truth: Vec<f64> = (0..dim).map(|_| normal()).collect();
    let features = Dense::new((0..rows * dim).map(|_| normal()).collect(), dim).unwrap();
    let label = |s: f64| if classes { if s > 0.0 { 1.0 } else { -1.0 } } else { s };
    let labels = (0..rows).map(|r| label(features.dot(r, &truth) + normal())).collect();
    Samples { features: Box::new(features), labels }
}

/// `(A'A + shift) x = A'b`, by elimination.
fn normal_equations(samples: &Samples, shift: f64) -> Vec<f64> {
    let (n, d) = (samples.labels.len(), samples.features.dim());
    let mut m = vec![vec![0.0; d + 1]; d];
    for r in 0..n {
        let mut a = vec![0.0; d];
        samples.features.add_to(r, 0..d, 1.0, &mut a);
        for i in 0..d {
            (0..d).for_each(|j| m[i][j] += a[i] * a[j]);
            m[i][d] += a[i] * samples.labels[r];
        }
    }
    m.iter_mut().enumerate().for_each(|(i, row)| row[i] += shift);
    for i in 0..d {
        for k in 0..d {
            if k != i {
                let factor = m[k][i] / m[i][i]; // positive definite: no pivoting needed
                (i..=d).for_each(|j| m[k][j] -= factor * m[i][j]);
            }
        }
    }
    (0..d).map(|i| m[i][d] / m[i][i]).collect()
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn honest(name: &str, answer: &Best, optimum: f64) {
    let slack = 1e-11 * (1.0 + optimum.abs());
    assert!(answer.value >= optimum - slack, "{name}: {} is below the optimum {optimum}", answer.value);
    assert!(
        optimum >= answer.value - answer.gap - slack,
        "{name}: optimum {optimum} outside the gap of {answer:?}"
    );
}

#[test]
fn free_least_squares_are_the_normal_equations() {
    for case in 0..5 {
        let samples = samples(60, 7, false, &mut stream(case));
        let (loss, free) = (loss("squared"), the_set("kind = 'free'", 7));
        let exact = normal_equations(&samples, 0.0);
        let answer = solve(&samples, loss.as_ref(), free.as_ref(), 1e-10);
        assert!(answer.certified, "{answer:?}");
        honest("free", &answer, value(&samples, loss.as_ref(), &exact));
        assert!(answer.x.iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-5));
        // A box and a ball that hold the optimum change nothing.
        for text in ["kind = 'box'\nlower = -50\nupper = 50", "kind = 'ball'\nradius = 50"] {
            let answer = solve(&samples, loss.as_ref(), the_set(text, 7).as_ref(), 1e-9);
            assert!(answer.certified, "{text}: {answer:?}");
            honest(text, &answer, value(&samples, loss.as_ref(), &exact));
        }
    }
}

#[test]
fn a_loss_from_closures_has_the_best_decision_of_its_formula() {
    let own = OwnLoss::new(|s, b| Hinge.value(s, b), |s, b| Hinge.slope(s, b)).at_least(0.0).of_classes();
    let (samples, ball) = (samples(60, 5, true, &mut stream(9)), Ball::new(2.0).unwrap());
    let [told, found] = [&Hinge as &dyn Loss, &own].map(|loss| solve(&samples, loss, &ball, TOLERANCE));
    assert!(told.certified && found.certified, "{told:?} {found:?}");
    assert!((told.value - found.value).abs() <= told.gap + found.gap, "{told:?} {found:?}");
}

#[test]
fn a_ball_that_binds_is_ridge_regression() {
    let samples = samples(60, 7, false, &mut stream(10));
    let loss = loss("squared");
    // (A'A + l) x = A'b is optimal in the ball of its own length.
    let exact = normal_equations(&samples, 25.0);
    let ball = the_set(&format!("kind = 'ball'\nradius = {:?}", norm(&exact)), 7);
    let answer = solve(&samples, loss.as_ref(), ball.as_ref(), 1e-10);
    assert!(answer.certified, "{answer:?}");
    honest("ball", &answer, value(&samples, loss.as_ref(), &exact));
    assert!(answer.x.iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-4));
}

#[test]
fn orthogonal_features_in_a_box_are_clipped_one_by_one() {
    let labels = vec![3.0, -0.25, 0.5, -7.0];
    let mut features = vec![0.0; 16];
    (0..4).for_each(|j| features[5 * j] = 1.0);
    let samples = Samples { features: Box::new(Dense::new(features, 4).unwrap()), labels };
    let cases = [
        ("kind = 'box'\nlower = -1\nupper = 1", [1.0, -0.25, 0.5, -1.0]),
        ("kind = 'box'\nlower = 0\nupper = inf", [3.0, 0.0, 0.5, 0.0]),
        ("kind = 'box'\nlower = [-inf, -1, 0.75, -inf]\nupper = [2, 1, inf, inf]", [2.0, -0.25, 0.75, -7.0]),
        ("kind = 'simplex'", [1.0, 0.0, 0.0, 0.0]),
    ];
    for (text, want) in cases {
        let answer = solve(&samples, loss("squared").as_ref(), the_set(text, 4).as_ref(), 1e-10);
        assert!(answer.certified, "{text}: {answer:?}");
        honest(text, &answer, value(&samples, loss("squared").as_ref(), &want));
        assert!(answer.x.iter().zip(&want).all(|(x, w)| (x - w).abs() < 1e-4), "{text}: {:?}", answer.x);
    }
}

#[test]
fn every_loss_on_every_set_is_certified_and_the_gap_is_honest() {
    let texts =
        ["kind = 'box'\nlower = [-1, 0]\nupper = 1", "kind = 'ball'\nradius = 1.5", "kind = 'simplex'"];
    for (case, entry) in LOSSES.iter().enumerate() {
        let loss = loss(entry.name);
        let samples = samples(15, 2, loss.classifies(), &mut stream(20 + case as u64));
        let known = texts.map(str::to_owned).into_iter();
        let plain = SETS.iter().map(|e| format!("kind = '{}'", e.name)).filter(|text| {
            let table = dpsda_config::table(text).unwrap();
            set::from_keys(&Keys::new("set", &table), &Blocks::even(2, 1).unwrap()).is_ok()
        });
        for text in known.chain(plain) {
            let set = the_set(&text, 2);
            let answer = solve(&samples, loss.as_ref(), set.as_ref(), TOLERANCE);
            let name = format!("{} on {text}", entry.name);
            assert!(answer.certified && answer.gap <= TOLERANCE * (1.0 + answer.value), "{name}: {answer:?}");
            let mut inside = answer.x.clone();
            set.project(&mut inside);
            assert!(
                inside.iter().zip(&answer.x).all(|(a, b)| (a - b).abs() < 1e-12),
                "{name} leaves the set"
            );
            assert!((answer.value - value(&samples, loss.as_ref(), &answer.x)).abs() < 1e-12, "{name}");
            // Nothing on a grid over the set, nor near the answer, beats it by more than the gap.
            for scale in [2.0, 1e-2, 1e-4] {
                for k in 0..41 * 41 {
                    let step = |k: usize| (k as f64 / 20.0 - 1.0) * scale;
                    let mut q = [answer.x[0] + step(k % 41), answer.x[1] + step(k / 41)];
                    set.project(&mut q);
                    let other = value(&samples, loss.as_ref(), &q);
                    assert!(
                        other >= answer.value - answer.gap - 1e-12,
                        "{name}: {q:?} gives {other}: {answer:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_rough_answer_says_how_rough_it_is() {
    for (case, entry) in LOSSES.iter().enumerate() {
        let loss = loss(entry.name);
        let samples = samples(80, 9, loss.classifies(), &mut stream(30 + case as u64));
        for text in
            ["kind = 'box'\nlower = -0.5\nupper = 0.4", "kind = 'ball'\nradius = 1", "kind = 'simplex'"]
        {
            let set = the_set(text, 9);
            let fine = solve(&samples, loss.as_ref(), set.as_ref(), 1e-8);
            assert!(fine.certified, "{} on {text}: {fine:?}", entry.name);
            for tolerance in [1.0, 0.1, 1e-2, 1e-4] {
                let rough = solve(&samples, loss.as_ref(), set.as_ref(), tolerance);
                assert!(rough.certified && rough.iterations <= fine.iterations);
                assert!(fine.value >= rough.value - rough.gap - 1e-12, "{} on {text}: {rough:?}", entry.name);
                assert!(rough.value >= fine.value - fine.gap - 1e-12, "{} on {text}: {fine:?}", entry.name);
            }
        }
    }
}

#[test]
fn hinge_is_certified_on_a_problem_with_many_kinks() {
    let mut rng = stream(40);
    // Whole-number features: many rows sit on the kink together.
    let features = (0..400 * 12).map(|_| f64::from(rng.random_range(0..2))).collect();
    let labels = (0..400).map(|_| if rng.random_range(0..3) == 0 { 1.0 } else { -1.0 }).collect();
    let samples = Samples { features: Box::new(Dense::new(features, 12).unwrap()), labels };
    for text in ["kind = 'ball'\nradius = 2", "kind = 'box'\nlower = -1\nupper = 1", "kind = 'free'"] {
        let answer = solve(&samples, loss("hinge").as_ref(), the_set(text, 12).as_ref(), TOLERANCE);
        assert!(answer.certified, "{text}: {answer:?}");
    }
}

#[test]
fn unbounded_sets_are_certified_as_far_as_they_reach() {
    let samples = samples(40, 3, true, &mut stream(50));
    let loss = loss("logistic");
    let answer = solve(&samples, loss.as_ref(), the_set("kind = 'free'", 3).as_ref(), TOLERANCE);
    assert!(answer.certified);
    let mut rng = stream(51);
    for _ in 0..2000 {
        let way: Vec<f64> = (0..3).map(|_| rng.random_range(-1.0..1.0)).collect();
        let far = REACH * (1.0 + norm(&answer.x)) * rng.random::<f64>() / norm(&way);
        let q: Vec<f64> = answer.x.iter().zip(&way).map(|(x, w)| x + far * w).collect();
        assert!(value(&samples, loss.as_ref(), &q) >= answer.value - answer.gap - 1e-12);
    }
}

#[test]
fn a_warm_start_at_the_answer_ends_at_once() {
    let samples = samples(200, 10, true, &mut stream(60));
    let (loss, set) = (loss("logistic"), the_set("kind = 'ball'\nradius = 1", 10));
    let rows: Vec<usize> = (0..200).collect();
    let parts: [&dyn Objective; 1] = [&Batch { samples: &samples, rows: &rows, loss: loss.as_ref() }];
    let fine = best(&parts, set.as_ref(), &[0.0; 10], 1e-9);
    let again = best(&parts, set.as_ref(), &fine.x, 1e-6);
    assert!(fine.iterations > 3 && again.iterations == 1, "{} {}", fine.iterations, again.iterations);
    assert_eq!(best(&parts, set.as_ref(), &[0.0; 10], 1e-9), fine, "same input, same bits");
}

#[test]
fn it_always_comes_back() {
    let set = the_set("kind = 'ball'\nradius = 1", 1);
    let squared = loss("squared");
    let lone =
        |a: f64, b: f64| Samples { features: Box::new(Dense::new(vec![a], 1).unwrap()), labels: vec![b] };
    let one = |samples: &Samples, set: &dyn ConvexSet, tolerance| {
        best(&[&Batch { samples, rows: &[0], loss: squared.as_ref() }], set, &[0.0], tolerance)
    };
    // No rows: every decision is best.
    let none = best(&[], set.as_ref(), &[], TOLERANCE);
    assert!(none.certified && none.gap == 0.0);
    // Numbers beyond f64: no claim, no NaN, and the search ends.
    for (a, b) in
        [(1e200, 1e200), (1.0, 1e200), (1e160, 1.0), (f64::MAX, f64::MIN), (1e140, 1e140), (1e-200, 1e100)]
    {
        for set in [&set, &the_set("kind = 'free'", 1)] {
            let answer = one(&lone(a, b), set.as_ref(), TOLERANCE);
            assert!(
                !answer.value.is_nan() && answer.gap >= 0.0 && answer.x[0].is_finite(),
                "{a} {b}: {answer:?}"
            );
            assert!(
                !answer.certified || answer.gap <= TOLERANCE * (1.0 + answer.value),
                "{a} {b}: {answer:?}"
            );
        }
    }
    // A tolerance nobody can meet.
    let answer = one(&lone(0.3, 1.7), set.as_ref(), 0.0);
    honest("zero tolerance", &answer, 1.96);
    let answer = one(&lone(0.3, 1.7), set.as_ref(), -1.0);
    assert!(!answer.certified && answer.value < 1.9601);
}

/// Rows that are nearly alike, as pictures are: what takes thousands of steps of one length takes dozens of the right ones.
#[test]
fn on_a_ball_the_shape_of_the_function_is_learned_and_kept() {
    let (rows, dim, rng) = (1500, 60_usize, &mut stream(77));
    let mut values = Vec::new();
    for _ in 0..rows {
        let common = 1.0 + 0.1 * (rng.random::<f64>() - 0.5);
        let own = (0..dim).map(|j| (rng.random::<f64>() - 0.5) * 0.8_f64.powi(j as i32));
        values.extend(own.map(|own| common + own));
    }
    let labels = (0..rows).map(|_| if rng.random::<f64>() < 0.3 { 1.0 } else { -1.0 }).collect();
    let samples = Samples { features: Box::new(Dense::new(values, dim).unwrap()), labels };
    let (loss, set) = (loss("logistic"), the_set("kind = 'ball'\nradius = 5.0", dim));
    let all: Vec<usize> = (0..rows).collect();
    let part = |rows: usize| Batch { samples: &samples, rows: &all[..rows], loss: &*loss };
    let mut comparator = dpsda::regret::Comparator::new(&*set);
    let first = comparator.best(&[&part(1000)], &[], 1e-9);
    let second = comparator.best(&[&part(1500)], &first.x, 1e-9);
    let plain = best(&[&part(1500)], &Opaque(&*set), &[], 1e-9);
    assert!(first.certified && second.certified && plain.certified);
    assert!((second.value - plain.value).abs() <= 2e-9, "{} {}", second.value, plain.value);
    assert!(second.iterations * 10 < plain.iterations, "{} {}", second.iterations, plain.iterations);
}
