//! Laws: monotone in everything, one is nothing new, there and back, and a safe answer to every question.

use std::time::{Duration, Instant};

use dpsda::privacy::accounting::{Pld, gaussian, pure_composition, zcdp};

use crate::rows::near;

const SIZES: [f64; 6] = [1e-3, 0.02, 0.3, 1.0, 2.5, 9.0];
const DELTAS: [f64; 5] = [1e-25, 1e-10, 1e-6, 1e-3, 0.2];
const ODD: [f64; 7] = [f64::NAN, f64::INFINITY, -1.0, 0.0, 5e-324, 0.5, f64::MAX];

type Epsilon = fn(f64, u64, f64) -> f64;
type Delta = fn(f64, f64) -> f64;

/// Ways to get an epsilon, from a size, a number of releases and a delta.
const EPSILONS: [(&str, Epsilon); 6] = [
    ("zcdp", |size, times, delta| zcdp::epsilon(size * times as f64, delta)),
    ("gaussian", |size, times, delta| gaussian::epsilon(size * (times as f64).sqrt(), delta)),
    ("pure", pure_composition),
    ("pld pure", |size, times, delta| Pld::pure(size, size).compose(times).epsilon(delta)),
    ("pld laplace", |size, times, delta| Pld::laplace(size, size / 50.0).compose(times).epsilon(delta)),
    ("pld gaussian", |size, times, delta| Pld::gaussian(size, size / 50.0).compose(times).epsilon(delta)),
];

fn rises(values: &[f64]) -> bool {
    values.windows(2).all(|w| w[0] <= w[1] * (1.0 + 1e-9))
}

#[test]
fn epsilon_rises_with_size_and_times_and_falls_with_delta() {
    for (name, epsilon) in EPSILONS {
        for (size, delta) in SIZES.iter().flat_map(|s| DELTAS.map(|d| (*s, d))) {
            let by_times = [1, 3, 40, 500].map(|times| epsilon(size, times, delta));
            assert!(rises(&by_times), "{name} {size} {delta}: {by_times:?}");
        }
        for times in [1, 40] {
            for delta in DELTAS {
                let by_size = SIZES.map(|size| epsilon(size, times, delta));
                assert!(rises(&by_size), "{name} {times} {delta}: {by_size:?}");
            }
            for size in SIZES {
                let mut by_delta = DELTAS.map(|delta| epsilon(size, times, delta));
                by_delta.reverse();
                assert!(rises(&by_delta), "{name} {size} {times}: {by_delta:?}");
            }
        }
    }
}

#[test]
fn delta_falls_with_epsilon_and_rises_with_size() {
    let deltas: [(&str, Delta); 5] = [
        ("zcdp", zcdp::delta),
        ("gaussian", gaussian::delta),
        ("pld pure", |size, e| Pld::pure(size, size / 7.0).compose(9).delta(e)),
        ("pld laplace", |size, e| Pld::laplace(size, size / 50.0).compose(9).delta(e)),
        ("pld gaussian", |size, e| Pld::gaussian(size, size / 50.0).compose(9).delta(e)),
    ];
    let epsilons = [40.0, 7.0, 2.0, 0.5, 0.03, 0.0];
    for (name, delta) in deltas {
        for size in SIZES {
            let by_epsilon = epsilons.map(|e| delta(size, e));
            assert!(rises(&by_epsilon), "{name} {size}: {by_epsilon:?}");
        }
        for e in epsilons {
            let by_size = SIZES.map(|size| delta(size, e));
            assert!(rises(&by_size), "{name} {e}: {by_size:?}");
        }
    }
}

#[test]
fn composing_once_and_grouping_change_nothing() {
    let (a, b) = (Pld::laplace(0.3, 0.003), Pld::gaussian(0.4, 0.003));
    for delta in DELTAS {
        assert_eq!(a.epsilon(delta), a.compose(1).epsilon(delta));
        assert_eq!(a.compose(6).epsilon(delta), a.compose(2).compose(3).epsilon(delta));
        assert!(near(a.compose(2).epsilon(delta), a.and(&a).epsilon(delta), 1e-9));
        assert!(near(a.and(&b).epsilon(delta), b.and(&a).epsilon(delta), 1e-9));
        assert_eq!(a.compose(0).epsilon(delta), 0.0);
        assert_eq!(a.and(&b.compose(0)).epsilon(delta), a.epsilon(delta));
    }
}

#[test]
fn different_steps_meet_on_the_finer_one() {
    let (a, b) = (Pld::laplace(0.3, 0.003), Pld::pure(0.51, 0.51));
    let mixed = a.compose(10).and(&b.compose(10));
    let same = a.compose(10).and(&Pld::pure(0.51, 0.003).compose(10));
    for delta in DELTAS {
        let (mixed, same) = (mixed.epsilon(delta), same.epsilon(delta));
        assert!(near(mixed, same, 1e-6), "{delta}: {mixed} {same}");
    }
}

#[test]
fn epsilon_and_delta_undo_each_other() {
    for size in SIZES {
        for times in [1, 30] {
            let laws = [
                Pld::pure(size, size / 5.0),
                Pld::laplace(size, size / 50.0),
                Pld::gaussian(size, size / 50.0),
            ];
            for law in laws.map(|law| law.compose(times)) {
                for target in [1e-20, 1e-6, 0.01] {
                    let epsilon = law.epsilon(target);
                    let back = law.delta(epsilon);
                    // An atom at the very top leaves a delta no room: there epsilon is the largest loss.
                    let top = near(epsilon, law.epsilon(0.0), 1e-9);
                    assert!(
                        back <= target * (1.0 + 1e-6) || top,
                        "{size} {times} {target}: {epsilon} {back}"
                    );
                    assert!(
                        back >= target * (1.0 - 1e-6) || top || epsilon == 0.0,
                        "{size} {times} {target}: {back}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_domination_is_never_reversed() {
    // Laplace in one dimension is eps-DP; eps-DP is eps tanh(eps/2)-zCDP; the Gaussian is mu^2/2-zCDP.
    for size in SIZES {
        for (times, delta) in [1, 20, 300].iter().flat_map(|t| DELTAS.map(|d| (*t, d))) {
            let k = times as f64;
            let laplace = Pld::laplace(size, size / 200.0).compose(times).epsilon(delta);
            let pure = pure_composition(size, times, delta);
            let concentrated = zcdp::epsilon(k * zcdp::of_pure(size), delta);
            assert!(laplace <= pure * (1.0 + 1e-9), "{size} {times} {delta}: {laplace} {pure}");
            assert!(pure <= concentrated.min(k * size) * (1.0 + 1e-9), "{size} {times} {delta}");
            let normal = gaussian::epsilon(size * k.sqrt(), delta);
            assert!(normal <= zcdp::epsilon(k * size * size / 2.0, delta) * (1.0 + 1e-9));
        }
    }
}

#[test]
fn every_question_has_an_answer_that_is_a_bound() {
    let sound = |epsilon: f64, delta: f64, law: &Pld| {
        assert!(epsilon >= 0.0, "{epsilon}: {law:?}");
        assert!((0.0..=1.0).contains(&delta), "{delta}: {law:?}");
    };
    for size in ODD {
        for step in ODD {
            for one in [Pld::pure(size, step), Pld::laplace(size, step), Pld::gaussian(size, step)] {
                let usable = (0.0..f64::INFINITY).contains(&size) && step > 0.0 && step.is_finite();
                for times in [0, 1, u64::MAX] {
                    let law = one.compose(times);
                    for x in ODD {
                        sound(law.epsilon(x), law.delta(x), &law);
                    }
                    assert!(usable || times == 0 || law.epsilon(0.5) == f64::INFINITY);
                }
            }
        }
        for x in ODD {
            assert!(zcdp::epsilon(size, x) >= 0.0 && gaussian::epsilon(size, x) >= 0.0);
            assert!(
                (0.0..=1.0).contains(&zcdp::delta(size, x))
                    && (0.0..=1.0).contains(&gaussian::delta(size, x))
            );
            assert!(zcdp::rho(size, x) >= 0.0 && gaussian::mu(size, x) >= 0.0);
            assert!(pure_composition(size, 12, x) >= 0.0);
        }
    }
}

#[test]
fn a_million_releases_are_answered_in_seconds() {
    let start = Instant::now();
    let exact = pure_composition(1e-3, 1_000_000, 1e-6);
    let law = Pld::pure(1e-3, 1e-3).compose(1_000_000).epsilon(1e-6);
    assert!(law >= exact * (1.0 - 1e-12) && near(law, exact, 1e-6), "{law} {exact}");
    assert!(start.elapsed() < Duration::from_secs(10));
}
