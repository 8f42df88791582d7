//! The methods on faces of boxes and balls, against the general method and against optima known by other means.

use std::sync::Mutex;

use dpsda::cost::CostSequence;
use dpsda::cost::samples::SampleCosts;
use dpsda::features::{Dense, Samples};
use dpsda::loss::{Huber, Logistic, Loss, Squared};
use dpsda::objective::{Batch, Objective};
use dpsda::regret::{Comparator, Precision, Segments, best};
use dpsda::rng::{Purpose, Seed};
use dpsda::set::{Ball, ConvexSet, Cuboid, Free, Simplex};
use rand::RngExt;

use crate::{Opaque, solve, value};

/// Rows of numbers between minus and plus `size`, and labels that a decision nearly explains. Row 1 repeats row 0, and row 2 is zero.
pub(crate) fn samples(rows: usize, dim: usize, size: f64, classes: bool, case: u64) -> Samples {
    let mut rng = Seed::new(9).stream(Purpose::Data, case, 0);
    let truth: Vec<f64> = (0..dim).map(|_| rng.random_range(-2.0..2.0)).collect();
    let mut values: Vec<f64> = (0..rows * dim).map(|_| rng.random_range(-1.0..1.0)).collect();
    if rows > 2 {
        values.copy_within(0..dim, dim);
        values[2 * dim..3 * dim].fill(0.0);
    }
    let mut label = |row: &[f64]| {
        let s: f64 = row.iter().zip(&truth).map(|(a, x)| a * x).sum::<f64>() + rng.random_range(-1.0..1.0);
        if !classes {
            s
        } else if s > 0.0 {
            1.0
        } else {
            -1.0
        }
    };
    let labels = values.chunks(dim).map(&mut label).collect();
    values.iter_mut().for_each(|a| *a *= size);
    Samples::new(Dense::new(values, dim).unwrap(), labels).unwrap()
}

pub(crate) fn sets() -> Vec<(&'static str, Box<dyn ConvexSet>)> {
    let sides = |dim: usize| {
        let lower = (0..dim).map(|j| if j % 3 == 0 { f64::NEG_INFINITY } else { -0.3 }).collect();
        Cuboid::sides(lower, vec![0.5; dim]).unwrap()
    };
    vec![
        ("a box that holds much", Box::new(Cuboid::new(-0.4, 0.4).unwrap())),
        ("a box that holds nothing", Box::new(Cuboid::new(-50.0, 50.0).unwrap())),
        ("a box of one point in each direction", Box::new(Cuboid::new(0.25, 0.25).unwrap())),
        ("a box away from zero", Box::new(Cuboid::new(0.5, 1.5).unwrap())),
        ("a box without some sides", Box::new(sides(12))),
        ("a small ball", Box::new(Ball::new(1.0).unwrap())),
        ("a large ball", Box::new(Ball::new(60.0).unwrap())),
        ("no constraint", Box::new(Free)),
    ]
}

#[test]
fn faces_and_the_general_method_find_the_same_value() {
    let losses: [(&dyn Loss, bool); 3] =
        [(&Squared, false), (&Huber::new(0.5).unwrap(), false), (&Logistic, true)];
    for (loss, classes) in losses {
        // Fewer samples than coordinates, about as many, and more.
        for rows in [5, 12, 14, 80] {
            for size in [1e-3, 1.0, 30.0] {
                let samples = samples(rows, 12, size, classes, rows as u64);
                for (name, set) in sets() {
                    let name = format!("{name}, {rows} rows of size {size}, classes: {classes}");
                    let (fast, slow) =
                        (solve(&samples, loss, &*set, 1e-7), solve(&samples, loss, &Opaque(&*set), 1e-6));
                    let mut inside = fast.x.clone();
                    set.project(&mut inside);
                    let out = inside.iter().zip(&fast.x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    assert!(out <= 1e-11, "{name}: {out} outside of the set");
                    let again = value(&samples, loss, &fast.x);
                    assert!((again - fast.value).abs() <= 1e-11 * (1.0 + again), "{name}: {again} {fast:?}");
                    assert!(fast.certified, "{name}: {fast:?}");
                    // Neither is below what the other proves. Without bounds, proofs reach only so far.
                    let slack = 1e-11 * (1.0 + again);
                    assert!(slow.value >= fast.value - fast.gap - slack, "{name}: {} {fast:?}", slow.value);
                    assert!(fast.value >= slow.value - slow.gap - slack, "{name}: {} {slow:?}", fast.value);
                }
            }
        }
    }
}

/// For a parabola on a box, each coordinate by itself has a closed form, and taking turns ends at the optimum.
#[test]
fn parabolas_on_boxes_end_where_taking_turns_ends() {
    for (case, (low, high)) in [(-0.2, 0.3), (0.0, 2.0), (-5.0, 5.0)].into_iter().enumerate() {
        let samples = samples(40, 8, 1.0, false, 100 + case as u64);
        let mut x = vec![low; 8];
        for _ in 0..5000 {
            for j in 0..8 {
                let at = |x: &mut Vec<f64>, v: f64| {
                    x[j] = v;
                    value(&samples, &Squared, x)
                };
                let (down, mid, up) = (at(&mut x, -1.0), at(&mut x, 0.0), at(&mut x, 1.0));
                x[j] = (-(up - down) / 4.0 / ((up + down) / 2.0 - mid)).clamp(low, high);
            }
        }
        let optimum = value(&samples, &Squared, &x);
        let found = solve(&samples, &Squared, &Cuboid::new(low, high).unwrap(), 1e-10);
        assert!(found.certified, "{found:?}");
        assert!((found.value - optimum).abs() <= 1e-10 * (1.0 + optimum), "{optimum} {found:?}");
        assert!(found.x.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-4), "{x:?} {found:?}");
    }
}

#[test]
fn results_do_not_depend_on_who_does_the_pieces() {
    let samples = samples(500, 1000, 1.0, false, 200); // several pieces
    let rows: Vec<usize> = (0..500).collect();
    let set = Cuboid::new(-0.5, 0.5).unwrap();
    let counts = Mutex::new(Vec::new());
    let backwards = |count: usize, piece: &(dyn Fn(usize) + Sync)| {
        counts.lock().unwrap().push(count);
        (0..count).rev().for_each(piece);
    };
    let threads = |count: usize, piece: &(dyn Fn(usize) + Sync)| {
        std::thread::scope(|scope| {
            for k in 0..count {
                scope.spawn(move || piece(k));
            }
        });
    };
    for loss in [&Squared as &dyn Loss, &Huber::new(1.0).unwrap()] {
        let batch = Batch { samples: &samples, rows: &rows, loss };
        let alone = Comparator::new(&set).best(&[&batch], &[], 1e-3);
        assert_eq!(Comparator::new(&set).workers(&backwards).best(&[&batch], &[], 1e-3), alone);
        assert_eq!(Comparator::new(&set).workers(&threads).best(&[&batch], &[], 1e-3), alone);
    }
    assert!(counts.lock().unwrap().iter().all(|count| *count > 1));
}

#[test]
fn large_data_are_solved_as_well_as_regret_asks_for_and_small_data_better() {
    let precision = Precision { cost: 1e-9, share: 1e-2 };
    for (rows, dim) in [(40, 8), (1500, 700)] {
        let samples = samples(rows, dim, 1.0, false, 300);
        let all: Vec<usize> = (0..rows).collect();
        let batch = Batch { samples: &samples, rows: &all, loss: &Squared };
        let set = Cuboid::new(-5.0, 5.0).unwrap();
        let found = Comparator::new(&set).best(&[&batch], &[], precision);
        let lost = batch.value(&vec![0.0; dim]) - (found.value - found.gap);
        assert!(found.certified && found.gap <= 1e-2 * lost + 1e-9 * (1.0 + found.value), "{found:?}");
        let exact = found.gap <= 1e-9 * (1.0 + found.value);
        assert_eq!(exact, rows == 40, "{rows}: {}", found.gap);
        let exactly = Comparator::new(&set).best(&[&batch], &found.x, 1e-9);
        assert!(exactly.value >= found.value - found.gap, "{} {found:?}", exactly.value);
    }
}

#[test]
fn the_start_of_play_is_the_point_of_the_set_nearest_to_zero() {
    let samples = samples(30, 4, 1.0, false, 400);
    let all: Vec<usize> = (0..30).collect();
    let batch = Batch { samples: &samples, rows: &all, loss: &Squared };
    // The simplex has no faces that the comparator knows, and zero is not in it.
    let precision = Precision { cost: 0.0, share: 1e-3 };
    let found = Comparator::new(&Simplex::default()).best(&[&batch], &[], precision);
    let lost = batch.value(&[0.25; 4]) - (found.value - found.gap);
    assert!(found.certified && found.gap <= 1e-3 * lost, "{lost} {found:?}");
}

#[test]
fn data_beyond_numbers_are_never_certified_and_never_keep_it_waiting() {
    let sets: [&dyn ConvexSet; 4] = [
        &Cuboid::new(-1.0, 1.0).unwrap(),
        &Cuboid::new(0.0, f64::INFINITY).unwrap(),
        &Ball::new(2.0).unwrap(),
        &Free,
    ];
    for loss in [&Squared as &dyn Loss, &Huber::new(1.0).unwrap()] {
        for (a, b) in [
            (1e200, 1e200),
            (1e160, 1.0),
            (f64::MAX, f64::MIN),
            (1e-200, 1e100),
            (0.0, 0.0),
            (1e-160, 1e-160),
        ] {
            let samples = Samples::new(Dense::new(vec![a, -a, 0.5 * a, a], 2).unwrap(), vec![b, -b]).unwrap();
            for (k, set) in sets.iter().enumerate() {
                let batch = Batch { samples: &samples, rows: &[0, 1], loss };
                for precision in [Precision::LAST, 1e-6.into()] {
                    let found = Comparator::new(*set).best(&[&batch], &[0.5, 0.5], precision);
                    assert!(
                        found.x.iter().all(|x| x.is_finite()) && found.gap >= 0.0,
                        "{k} {a} {b} {found:?}"
                    );
                    assert!(
                        !found.certified || found.value.is_finite() && found.gap.is_finite(),
                        "{k} {a} {b} {found:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn segments_say_whether_all_pieces_are_known_well_enough() {
    let samples = std::sync::Arc::new(samples(60, 5, 1.0, false, 500));
    let costs =
        SampleCosts::new(samples, (0..60).collect(), vec![], std::sync::Arc::new(Squared), 3).unwrap();
    let set = Cuboid::new(-1.0, 1.0).unwrap();
    let found = Segments::best(&costs, &set, 20, 2, 4, 1e-6).unwrap();
    assert!(found.certified && found.gap <= 1e-6 * (2.0 + found.value), "{found:?}");
    let whole = best(&[&*costs.mean(0..20)], &set, &[], 1e-6);
    assert!(found.value <= whole.value + whole.gap);
    assert!(!Segments::best(&costs, &set, 20, 2, 4, 0.0).unwrap().certified, "nobody can do that");
}
