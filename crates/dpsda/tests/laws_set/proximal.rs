//! Laws of the proximal map.

use super::*;

/// <z + y/steps, q - y> >= 0 for every q of the set; and equal steps give (7).
#[test]
fn a_step_for_every_coordinate_solves_its_problem() {
    let mut able = 0;
    each(|name, set, rng| {
        let Some(own) = set.each() else { return };
        able += 1;
        for _ in 0..300 {
            let z = random(rng);
            let steps: Vec<f64> = (0..DIM).map(|_| 10f64.powf(rng.random_range(-3.0..2.0))).collect();
            let mut y = vec![f64::NAN; DIM];
            own.prox_each(&z, &steps, &mut y);
            let mut nearest = y.clone();
            set.project(&mut nearest);
            assert!(norm(&minus(&y, &nearest)) <= 1e-12 * (1.0 + norm(&y)), "{name}: {y:?} is outside");
            let slope: Vec<f64> = (0..DIM).map(|k| z[k] + y[k] / steps[k]).collect();
            for _ in 0..20 {
                let q = inside(set, rng);
                let angle = dot(&slope, &minus(&q, &y));
                let size = (1.0 + norm(&z)) * (1.0 + norm(&q) + norm(&y));
                assert!(
                    angle >= -1e-9 * size,
                    "{name}: {z:?} {steps:?} -> {y:?}, better towards {q:?}: {angle:e}"
                );
            }
            own.prox_each(&z, &[0.3; DIM], &mut y);
            assert!(norm(&minus(&y, &prox(set, &z, 0.3))) <= 1e-12 * (1.0 + norm(&y)), "{name}: {z:?}");
        }
    });
    assert!(able >= 6, "boxes, balls, the whole space and products of them");
}

#[test]
fn prox_solves_its_problem() {
    each(|name, set, rng| {
        for _ in 0..300 {
            let (z, alpha) = (random(rng), rng.random_range(0.01..2.0));
            let y = prox(set, &z, alpha);
            let cost = |x: &[f64]| dot(&z, x) + set.psi(x) / alpha; // (7)
            for k in 0..40 {
                // Far points, and near ones on the way to them.
                let mut q = inside(set, rng);
                let way = [1.0, 0.1, 1e-3, 1e-5][k % 4];
                q.iter_mut().zip(&y).for_each(|(q, y)| *q = y + way * (*q - y));
                // Strongly convex with constant 1/alpha, so worse by at least that much away from the best.
                let least = cost(&y) + norm(&minus(&q, &y)).powi(2) / (2.0 * alpha);
                let rounding =
                    1e-12 * (1.0 + norm(&z)) * (1.0 + norm(&q) + norm(&y)) + 1e-13 * set.psi(&q) / alpha;
                assert!(cost(&q) >= least - rounding, "{name}: z {z:?}, alpha {alpha}: {q:?} against {y:?}");
            }
        }
    });
}

#[test]
fn prox_is_alpha_lipschitz() {
    each(|name, set, rng| {
        for k in 0..2000 {
            let (z, mut w, alpha) = (random(rng), random(rng), rng.random_range(0.01..2.0));
            if k % 2 == 0 {
                w.iter_mut().zip(&z).for_each(|(w, z)| *w = z + 1e-4 * *w);
            }
            let moved = norm(&minus(&prox(set, &z, alpha), &prox(set, &w, alpha)));
            let bound = alpha * norm(&minus(&z, &w)); // (10)
            assert!(moved <= bound * (1.0 + 1e-9) + 1e-13 * alpha * norm(&z), "{name}: {moved} > {bound}");
        }
    });
}

#[test]
fn dual_averaging_has_the_regret_of_proposition_1() {
    each(|name, set, rng| {
        for _ in 0..100 {
            let alpha = |t: u32| 0.5 / f64::from(t + 1).sqrt();
            let (mut sum, mut spent, mut steps) = (vec![0.0; DIM], 0.0, 0.0);
            let y = inside(set, rng);
            for t in 1..=30 {
                let x = prox(set, &sum, alpha(t - 1)); // (8)
                let phi = random(rng);
                spent += dot(&phi, &minus(&x, &y));
                steps += alpha(t - 1) * dot(&phi, &phi) / 2.0;
                sum.iter_mut().zip(&phi).for_each(|(s, p)| *s += p);
            }
            let bound = steps + set.psi(&y) / alpha(30); // (9)
            assert!(spent <= bound * (1.0 + 1e-9), "{name}: {spent} > {bound}");
        }
    });
}

#[test]
fn entropic_prox_is_a_softmax() {
    let set = read("kind = 'simplex'\npsi = 'entropic'").unwrap();
    let y = prox(set.as_ref(), &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 2.0);
    for j in 1..DIM {
        assert!((y[j] / y[j - 1] - (-2.0_f64).exp()).abs() < 1e-14);
    }
    assert!((y.iter().sum::<f64>() - 1.0).abs() < 1e-15);
}

#[test]
fn some_coordinates_by_themselves_are_what_all_together_are_there() {
    let mut able = 0;
    each(|name, set, rng| {
        let z = random(rng);
        let all = prox(set, &z, 0.3);
        for (first, end) in [(0, DIM), (0, 2), (3, 5), (DIM - 1, DIM), (2, 2)] {
            let mut some = vec![f64::NAN; end - first];
            if set.prox_some(first, &z[first..end], 0.3, &mut some) {
                able += 1;
                assert_eq!(some, all[first..end], "{name}: {first}..{end}");
            } else {
                assert!(some.iter().all(|y| y.is_nan()), "{name}: it has written something");
            }
        }
    });
    assert!(able >= 4 * 5, "boxes and the whole space");
}

/// No point is farther from the start than the reach, and what a tangent takes out moves no decision.
#[test]
fn nothing_is_out_of_reach_and_a_tangent_moves_what_there_is_to_move() {
    let mut able = 0;
    each(|name, set, rng| {
        let start = prox(set, &[0.0; DIM], 1.0);
        if let Some(reach) = set.reach(DIM) {
            able += 1;
            let away: Vec<f64> = (0..600).map(|_| norm(&minus(&inside(set, rng), &start))).collect();
            let farthest = away.into_iter().fold(0.0, f64::max);
            let least = 0.6 * reach / (DIM as f64).sqrt(); // a set that states no reach has that of the box around it
            assert!((least..=(1.0 + 1e-12) * reach).contains(&farthest), "{name}: {farthest} of {reach}");
        } else {
            let endless = set.size(DIM).diameter.is_infinite();
            assert!(endless || name.contains("entropic"), "{name} has an end");
        }
        for blocks in [&[0, 2, 5, 6][..], &[0, 6]] {
            let z = random(rng);
            let mut felt = z.clone();
            let sizes: Vec<usize> = blocks
                .windows(2)
                .map(|ends| set.tangent(DIM, ends[0]..ends[1], &mut felt[ends[0]..ends[1]]))
                .collect();
            assert!(norm(&felt) <= norm(&z) * (1.0 + 1e-12), "{name}");
            let moved = norm(&minus(&prox(set, &z, 0.7), &prox(set, &felt, 0.7)));
            assert!(moved <= 1e-9 * (1.0 + norm(&z)), "{name}: {moved}");
            let (all, whole) = (sizes.iter().sum::<usize>(), blocks.len() == 2);
            let parts = if name.contains("2, 1, 2, 1") { 4 } else { 3 };
            let expected = match () {
                () if name.contains("simplices") => DIM - parts,
                () if name.contains("each") && name.contains("simplex") => DIM - 1,
                () if name.starts_with("kind = 'simplex'") && whole => DIM - 1,
                () => DIM,
            };
            assert_eq!(all, expected, "{name}, {blocks:?}");
        }
    });
    assert!(able >= 6, "boxes, balls, simplices and products of them");
}

#[test]
fn the_reach_of_balls_boxes_and_simplices_is_the_largest_distance() {
    let near = |set: &dyn ConvexSet, expected: f64| (set.reach(6).unwrap() - expected).abs() < 1e-12;
    assert!(near(&Ball::new(5.0).unwrap(), 5.0));
    assert!(near(&Cuboid::new(-1.0, 3.0).unwrap(), 3.0 * 6_f64.sqrt())); // from 0
    assert!(near(&Cuboid::new(1.0, 3.0).unwrap(), 2.0 * 6_f64.sqrt())); // from 1
    assert!(near(&Simplex::new(Psi::Euclidean), (5.0_f64 / 6.0).sqrt())); // from the middle to a corner
    assert!(near(&Simplices::new(&[2, 4]).unwrap(), (0.5_f64 + 0.75).sqrt()));
}
