//! What is learned, and the noise around it: the bias of a clip, and noise that cancels over time.

use dpsda::bounds::{Constants, Perturbation, SignalMoments};
use dpsda::learner::Style;
use dpsda::objective::{Batch, Objective};
use dpsda::privacy::mechanism::Laplace;
use dpsda::privacy::plan::{Adjacency, Extent};
use dpsda::privacy::{Mechanism, Plan, Privacy};
use rand::RngExt;

use crate::{SETS, SIZES, a_loss, a_set, blocks, inside, samples, stream};

fn level(mechanism: &str, level: f64) -> Privacy {
    Privacy::level(level).mechanism(Mechanism::named(mechanism).unwrap())
}

/// A clip shortens gradients, and what it takes away is counted against it.
#[test]
fn the_bias_of_a_clip_is_never_below_what_it_takes_away() {
    for (case, (mechanism, adjacency)) in ["discrete-laplace", "discrete-gaussian"]
        .into_iter()
        .flat_map(|m| [Adjacency::Round, Adjacency::Example].map(|a| (m, a)))
        .enumerate()
    {
        let mut rng = stream(900 + case as u64);
        let (set, loss, samples) = (a_set(SETS[1]), a_loss("logistic"), samples(&mut rng, 12));
        let rows: Vec<usize> = (0..12).collect();
        let all = Batch { samples: &samples, rows: &rows, loss: &*loss };
        let constants = Constants::of(all, 3, &*set, &blocks()).unwrap();
        for clip in [0.05, 0.5, 1.0, 30.0] {
            let asked = level(mechanism, 1.0).clip(clip).adjacency(adjacency);
            let blocks = blocks();
            let extent = Extent { style: Style::Relay, blocks: &blocks, rounds: 4, batch: 3 };
            let plan = Plan::new(asked, &extent).unwrap();
            let signal = SignalMoments::of(&constants, &plan, 0.0).unwrap();
            assert!(
                signal.square <= clip * clip * (1.0 + 1e-12)
                    && signal.square <= constants.gradient.powi(2) * (1.0 + 1e-4), // rounding to the grid
            );
            for _ in 0..200 {
                let at = rng.random_range(0..4) * 3;
                let (f, y) = (Batch { rows: &rows[at..at + 3], ..all }, inside(&*set, &mut rng));
                let (mut away, mut length) = (0.0, 0.0);
                for (i, block) in blocks.iter().enumerate() {
                    let clip = plan.clip(i).unwrap();
                    let per_unit = f64::from(clip.bits).exp2();
                    let (mut units, mut g) = (vec![0; block.len()], vec![0.0; block.len()]);
                    let parts = if adjacency == Adjacency::Round { 1 } else { 3 };
                    for k in 0..parts {
                        match adjacency {
                            Adjacency::Round | Adjacency::Agent => f.partial(&y, block.clone(), &mut g),
                            Adjacency::Example => f.example(k, &y, block.clone(), &mut g),
                        }
                        clip.add(&g, &mut units);
                    }
                    f.partial(&y, block.clone(), &mut g);
                    for (g, u) in g.iter().zip(units) {
                        let u = u as f64 / per_unit / parts as f64;
                        away += (g - u).powi(2);
                        length += u * u;
                    }
                }
                assert!(away.sqrt() <= signal.bias, "clip {clip}: {} > {}", away.sqrt(), signal.bias);
                assert!(length <= signal.square * (1.0 + 1e-12), "clip {clip}");
            }
            if clip == 30.0 {
                assert!(signal.bias < 1e-3, "a clip that never bites takes nothing: {}", signal.bias);
            }
        }
    }
}

/// Errors are drawn before the clip. The bias and the length of a release then stay within what is stated.
#[test]
fn with_gradient_errors_the_moments_of_what_is_learned_are_bounded_too() {
    let error = 0.3;
    for (case, (mechanism, adjacency)) in ["discrete-laplace", "discrete-gaussian"]
        .into_iter()
        .flat_map(|m| [Adjacency::Round, Adjacency::Example].map(|a| (m, a)))
        .enumerate()
    {
        let mut rng = stream(950 + case as u64);
        let (set, loss, samples, blocks) =
            (a_set(SETS[0]), a_loss("logistic"), samples(&mut rng, 4), blocks());
        let all = Batch { samples: &samples, rows: &[0, 1, 2, 3], loss: &*loss };
        let constants = Constants::of(all, 4, &*set, &blocks).unwrap();
        for clip in [0.1, 1.0, 100.0] {
            let asked = level(mechanism, 1.0).clip(clip).adjacency(adjacency);
            let extent = Extent { style: Style::Relay, blocks: &blocks, rounds: 4, batch: 4 };
            let plan = Plan::new(asked, &extent).unwrap();
            let signal = SignalMoments::of(&constants, &plan, error).unwrap();
            let y = inside(&*set, &mut rng);
            let (draws, mut mean, mut square) = (4000, [0.0; 5], 0.0);
            for _ in 0..draws {
                // Uniform, centred, of the variance set.
                let side = (12.0_f64 * error).sqrt() / 2.0;
                let xi: Vec<f64> = (0..5).map(|_| rng.random_range(-side..side)).collect();
                for (i, block) in blocks.iter().enumerate() {
                    let clip = plan.clip(i).unwrap();
                    let (mut units, mut g) = (vec![0; block.len()], vec![0.0; block.len()]);
                    let parts = if adjacency == Adjacency::Round { 1 } else { 4 };
                    for k in 0..parts {
                        match adjacency {
                            Adjacency::Round | Adjacency::Agent => all.partial(&y, block.clone(), &mut g),
                            Adjacency::Example => all.example(k, &y, block.clone(), &mut g),
                        }
                        g.iter_mut().zip(&xi[block.clone()]).for_each(|(g, e)| *g += e);
                        clip.add(&g, &mut units);
                    }
                    for (k, u) in block.zip(units) {
                        let u = u as f64 / f64::from(clip.bits).exp2() / parts as f64;
                        mean[k] += u / f64::from(draws);
                        square += u * u / f64::from(draws);
                    }
                }
            }
            let mut g = vec![0.0; 5];
            all.partial(&y, 0..5, &mut g);
            let away = g.iter().zip(mean).map(|(g, u)| (g - u).powi(2)).sum::<f64>().sqrt();
            let slack = 5.0 * (5.0 * error / f64::from(draws)).sqrt(); // five standard errors
            assert!(away <= signal.bias + slack, "clip {clip}: off by {away} > {}", signal.bias);
            assert!(square <= signal.square * 1.1, "clip {clip}: {square} > {}", signal.square);
        }
        let whole = Privacy::none().clip(100.0).adjacency(adjacency);
        let extent = Extent { style: Style::Relay, blocks: &blocks, rounds: 4, batch: 4 };
        let signal = SignalMoments::of(&constants, &Plan::new(whole, &extent).unwrap(), error).unwrap();
        let (l, noise) = (constants.gradient, (5.0 * error).sqrt());
        let expected = if adjacency == Adjacency::Round { l.hypot(noise) } else { l + noise };
        assert!((signal.square.sqrt() - expected).abs() < 1e-3, "{adjacency:?}: {signal:?} {expected}");
    }
}

#[test]
fn noise_that_cancels_is_known_by_its_sums() {
    let blocks = blocks();
    for name in ["tree", "toeplitz"] {
        let extent = Extent { style: Style::Relay, blocks: &blocks, rounds: 100, batch: 1 };
        let plan = Plan::new(level(name, 0.1).clip(1.0), &extent).unwrap();
        let constants = Constants {
            sizes: SIZES.to_vec(),
            diameter: 1.0,
            reach: 1.0,
            psi: 1.0,
            gradient: 1.0,
            examples: vec![1.0; 3],
            smoothness: 1.0,
            separable: true,
        };
        let signal = SignalMoments::of(&constants, &plan, 0.0).unwrap();
        let Perturbation::Prefix(deviations) = &signal.noise else { panic!("{name} is not fresh") };
        for t in 1..=100_u64 {
            let known =
                deviations[..=(u64::BITS - t.leading_zeros()) as usize].iter().copied().fold(0.0, f64::max);
            assert!(plan.deviation(t).unwrap() <= known * (1.0 + 1e-12), "{name} {t}");
        }
        let fresh = plan.deviation(1).unwrap();
        assert!(
            deviations.last().unwrap() < &(4.0 * fresh),
            "{name}: far below 10 times, which independent noise has"
        );
    }
    let extent = Extent { style: Style::Average, blocks: &blocks, rounds: 9, batch: 1 };
    let plan = Plan::new(Privacy::level(0.5).mechanism(Laplace), &extent).unwrap();
    assert!((plan.deviation(1).unwrap() - 8_f64.sqrt()).abs() < 1e-12, "scale 2: variance 8");
    assert!((plan.deviation(4).unwrap() - 32_f64.sqrt()).abs() < 1e-12);
}
