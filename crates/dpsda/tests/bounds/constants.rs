//! L, G, C and D against brute force.

use dpsda::bounds::Constants;
use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::objective::{Batch, Objective};
use rand::RngExt;

use crate::{ROUNDING, SETS, a_loss, a_set, blocks, inside, minus, norm, samples, stream};

/// Assumption 1(d) and (e), with every block at a point of its own and the assembled decision outside the set.
#[test]
fn no_gradient_is_longer_than_l_and_none_turns_faster_than_g() {
    for (case, (text, loss)) in
        SETS.iter().flat_map(|s| ["squared", "logistic", "huber"].map(|l| (*s, l))).enumerate()
    {
        let mut rng = stream(case as u64);
        let (set, loss, samples, batch) = (a_set(text), a_loss(loss), samples(&mut rng, 12), 3);
        let rows: Vec<usize> = (0..12).collect();
        let all = Batch { samples: &samples, rows: &rows, loss: &*loss };
        let constants = Constants::of(all, batch, &*set, &blocks()).unwrap();
        for _ in 0..400 {
            let at = rng.random_range(0..4) * batch;
            let f = Batch { rows: &rows[at..at + batch], ..all };
            let nodes = [inside(&*set, &mut rng), inside(&*set, &mut rng), inside(&*set, &mut rng)];
            let x: Vec<f64> = blocks().iter().zip(&nodes).flat_map(|(block, y)| y[block].to_vec()).collect();
            let middle = inside(&*set, &mut rng);
            let gradient = |y: &[f64]| {
                let mut g = vec![0.0; 5];
                f.partial(y, 0..5, &mut g);
                g
            };
            let mixed: Vec<f64> =
                blocks().iter().zip(&nodes).flat_map(|(block, y)| gradient(y)[block].to_vec()).collect();
            assert!(norm(&gradient(&x)) <= constants.gradient * ROUNDING, "{text}");
            assert!(norm(&mixed) <= constants.gradient * ROUNDING, "{text}");
            let worst = nodes.iter().map(|y| norm(&minus(y, &middle))).fold(0.0, f64::max);
            assert!(
                norm(&minus(&gradient(&middle), &mixed)) <= constants.smoothness * worst * ROUNDING,
                "{text}"
            );
            assert!(norm(&minus(&middle, &nodes[0])) <= constants.diameter * ROUNDING, "{text}");
            assert!(norm(&minus(&x, &middle)) <= constants.reach * ROUNDING, "{text}");
            for (row, (block, largest)) in (0..3).flat_map(|k| {
                blocks().iter().zip(&constants.examples).map(move |b| (k, b)).collect::<Vec<_>>()
            }) {
                let mut g = vec![0.0; block.len()];
                f.example(row, &x, block, &mut g);
                assert!(norm(&g) <= *largest * ROUNDING, "{text}");
            }
        }
    }
}

/// One sample in a box: L is the gradient in a corner, G the curvature along the sample.
#[test]
fn on_one_sample_in_a_box_nothing_is_given_away() {
    let samples = Samples {
        features: Box::new(Dense::new(vec![3.0, 0.0, 4.0, 0.0, 0.0], 5).unwrap()),
        labels: vec![1.0],
    };
    let loss = a_loss("squared");
    let all = Batch { samples: &samples, rows: &[0], loss: &*loss };
    let constants = Constants::of(all, 1, &*a_set("kind = 'box'\nlower = -2\nupper = 1"), &blocks()).unwrap();
    assert_eq!(constants.gradient, 2.0 * 15.0 * 5.0); // s from -14 to 7, label 1: the worst slope is 2 * 15
    assert_eq!(constants.smoothness, 2.0 * 25.0);
    assert_eq!(constants.examples, [90.0, 120.0, 0.0]);
    assert_eq!((constants.diameter, constants.psi), (45_f64.sqrt(), 10.0));
    let free = Constants::of(all, 1, &*a_set("kind = 'free'"), &blocks()).unwrap();
    assert!(free.gradient.is_infinite() && free.diameter.is_infinite() && free.psi.is_infinite());
}

#[test]
fn data_blocks_and_sets_that_do_not_fit_are_refused() {
    let samples = Samples::new(Dense::new(vec![1.0; 10], 5).unwrap(), vec![0.0, 1.0]).unwrap();
    let (loss, ball) = (a_loss("squared"), a_set("kind = 'ball'\nradius = 1"));
    let all = |rows| Batch { samples: &samples, rows, loss: &*loss };
    let refused = |found: Result<Constants, dpsda::Error>| found.unwrap_err().to_string();
    assert_eq!(
        refused(Constants::of(all(&[0, 1]), 1, &*ball, &dpsda::Blocks::even(6, 3).unwrap())),
        "blocks = 6 coordinates: the samples have 5 features (use blocks with one coordinate per feature)"
    );
    assert_eq!(
        refused(Constants::of(all(&[0, 2]), 1, &*ball, &blocks())),
        "rows[1] = 2: there are 2 samples, rows 0 to 1 (use one of these rows)"
    );
    let sides = dpsda::set::Cuboid::sides(vec![0.0; 3], vec![1.0; 3]).unwrap();
    assert!(refused(Constants::of(all(&[0]), 1, &sides, &blocks())).contains("there are 5 coordinates"));
    assert!(Constants::of(all(&[0, 1]), 0, &*ball, &blocks()).is_ok(), "a batch has at least one row");
}
