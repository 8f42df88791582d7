//! The samplers follow their laws, and the tests would notice if they did not.
//!
//! A statistic raises an alarm when draws of the right law would be as far off less than once in a million times. Seeds
//! are fixed, so a test that passes once passes always; the million is how much its passing was luck.

mod law;
mod mutants;
mod statistics;
mod tails;

use dpsda::privacy::Mechanism;
use dpsda::privacy::mechanism::{DiscreteGaussian, DiscreteLaplace, Noise, Order};
use dpsda::privacy::sample::LaplaceSampler;
use dpsda::rng::{Generator, Purpose, Seed};
use law::{DRAWN, DRAWS, Law};
use statistics::{
    ALARM, binomial, chi_square, dependence, errors_off, far_out, happens, kolmogorov_smirnov, signs,
};

#[test]
fn chi_square_finds_nothing_at_any_scale() {
    for (law, draws) in &*DRAWN {
        let p = chi_square(draws, *law);
        assert!(p > ALARM, "{law:?}: {p:e}");
    }
}

#[test]
fn kolmogorov_smirnov_finds_nothing_at_any_scale() {
    for (law, draws) in &*DRAWN {
        let p = kolmogorov_smirnov(draws, *law);
        assert!(p > ALARM, "{law:?}: {p:e}");
    }
}

/// At six standard errors one false alarm in 5e8.
#[test]
fn moments_are_those_of_the_law() {
    for (law, draws) in DRAWN.iter().filter(|(law, _)| law.scale() <= 1000) {
        let off = |f: fn(i64) -> f64| errors_off(draws.iter().map(|k| f(*k)), law.mean(f));
        for (name, f) in [
            ("mean", (|k| k as f64) as fn(i64) -> f64),
            ("mean size", |k| k.abs() as f64),
            ("second", |k| (k as f64).powi(2)),
            ("third", |k| (k as f64).powi(3)),
            ("fourth", |k| (k as f64).powi(4)),
        ] {
            assert!(off(f) < 6.0, "{law:?}: {name} is {} standard errors off", off(f));
        }
    }
}

/// There the sums over the integers differ from integrals by less than 1e-12 of them.
#[test]
fn moments_at_a_large_scale_are_those_of_the_continuous_law() {
    use std::f64::consts::FRAC_2_PI;
    let t = 1 << 20;
    for (law, moments) in [
        (Law::Laplace(t), [(1, 1.0), (2, 2.0), (3, 6.0), (4, 24.0)]),
        (Law::Gaussian(t), [(1, FRAC_2_PI.sqrt()), (2, 1.0), (3, 2.0 * FRAC_2_PI.sqrt()), (4, 3.0)]),
    ] {
        let draws = law.draws(DRAWS);
        for (power, moment) in moments {
            let off = errors_off(draws.iter().map(|k| (k.abs() as f64 / t as f64).powi(power)), moment);
            assert!(off < 6.0, "{law:?}: the mean of |k|^{power} is {off} standard errors off");
            let off = errors_off(draws.iter().map(|k| (*k as f64 / t as f64).powi(2 * power - 1)), 0.0);
            assert!(off < 6.0, "{law:?}: the mean of k^{} is {off} standard errors off", 2 * power - 1);
        }
    }
}

#[test]
fn as_many_draws_lie_far_out_as_should() {
    for (law, draws) in &*DRAWN {
        for scales in if matches!(law, Law::Laplace(_)) { [4, 8, 12] } else { [2, 3, 5] } {
            let p = far_out(draws, *law, scales);
            assert!(p > ALARM, "{law:?}: beyond {scales} scales, {p:e}");
        }
    }
}

#[test]
fn both_signs_are_as_frequent() {
    for (law, draws) in &*DRAWN {
        let p = signs(draws);
        assert!(p > ALARM, "{law:?}: {p:e}");
    }
}

/// A sampler that rounds a float or scales an integer leaves gaps or favours some remainders.
#[test]
fn every_remainder_comes_as_often_as_in_the_law() {
    for law in [Law::Laplace(1000), Law::Gaussian(1000)] {
        let draws = law.draws(DRAWS);
        for m in [2, 3, 4, 5, 7, 8, 16, 61] {
            for r in 0..m {
                let p = happens(&draws, law, |k| k.rem_euclid(m) == r);
                assert!(p > ALARM, "{law:?}: remainder {r} by {m}, {p:e}");
            }
        }
    }
    // At 2^40 all 20 low bits are as good as fair coins: the law's own deviation is below 1e-9.
    for law in [Law::Laplace(1 << 40), Law::Gaussian(1 << 40)] {
        let draws = law.draws(DRAWS);
        for bit in 0..20 {
            let count = draws.iter().filter(|k| *k >> bit & 1 == 1).count();
            assert!(binomial(count, DRAWS, 0.5) > ALARM, "{law:?}: {count} have bit {bit}");
        }
    }
}

#[test]
fn every_integer_near_zero_is_reached() {
    for law in [Law::Laplace(1000), Law::Gaussian(1000)] {
        let mut seen = vec![false; 1001];
        law.draws(DRAWS).iter().filter(|k| k.abs() <= 500).for_each(|k| seen[(k + 500) as usize] = true);
        // Each is expected more than 300 times.
        assert!(seen.iter().all(|s| *s), "{law:?}");
    }
}

#[test]
fn neighbours_know_nothing_of_each_other() {
    for (law, draws) in &*DRAWN {
        let errors = dependence(draws);
        assert!(errors < 6.0, "{law:?}: {errors} standard errors");
    }
}

#[test]
fn many_at_once_are_the_same_as_one_by_one() {
    for s in [1, 10, 1 << 20] {
        let stream = || Seed::new(5).stream(Purpose::Noise, s, 1);
        let (laplace, mut one, mut many, mut values) =
            (LaplaceSampler::new(s), stream(), stream(), [7; 1000]);
        laplace.add_to(&mut values[..400], &mut many);
        laplace.add_to(&mut values[400..], &mut many);
        for (i, v) in values.into_iter().enumerate() {
            assert_eq!(v, 7 + laplace.sample(&mut one), "{i}");
        }
        assert_eq!(one, many);
    }
}

/// Equal seeds give equal runs in all versions: a change of these numbers is a change that users see.
#[test]
fn a_seed_gives_these_numbers() {
    for (law, first) in [
        (Law::Laplace(3), [-1, 5, 5, -2, -5, 0, 1, -2, 0, -3]),
        (
            Law::Laplace(1 << 20),
            [-804529, -1370188, -270744, -807523, -1364723, -1467337, 1773650, -640305, -542609, -716293],
        ),
        (Law::Gaussian(3), [-1, 5, 5, -2, -5, 0, -2, 2, 1, -5]),
        (
            Law::Gaussian(1 << 20),
            [-804529, -1370188, -270744, -807523, -1364723, -1467337, -640305, -716293, 360082, -434383],
        ),
    ] {
        assert_eq!(law.draws(10), first, "{law:?}");
        assert_eq!(perturbed(law, Generator::Second), first, "{law:?}");
    }
}

/// Files with old rules have the draws that they always had.
#[test]
fn the_first_generator_gives_the_numbers_of_before() {
    for (law, first) in [
        (Law::Laplace(3), [-1, -2, 3, 3, -1, -1, -2, -2, -6, 0]),
        (
            Law::Laplace(1 << 20),
            [-1618209, 3017769, 221410, -1107059, -1140790, -2729190, -1282211, 430759, 867109, 963974],
        ),
        (Law::Gaussian(3), [-1, -6, 3, -2, -3, 1, 2, 2, 6, 0]),
        (
            Law::Gaussian(1 << 20),
            [-160234, 221410, 1356465, -561244, -1680614, 1479335, 2012550, -623843, 1668540, 25447],
        ),
    ] {
        assert_eq!(perturbed(law, Generator::First), first, "{law:?}");
    }
}

/// Ten draws of a mechanism with this law, from the stream that `Law::draws` takes.
fn perturbed(law: Law, generator: Generator) -> [i64; 10] {
    let mechanism = match law {
        Law::Laplace(_) => Mechanism::from(DiscreteLaplace),
        Law::Gaussian(_) => Mechanism::from(DiscreteGaussian),
    };
    let order = Order { node: 0, size: 10, rounds: 1, scale: law.scale() };
    let Noise::Exact(mut noise) = mechanism.in_units(order) else { unreachable!("both are exact") };
    let mut values = [0; 10];
    noise.perturb(&mut values, &mut Seed::new(3).with(generator).stream(Purpose::Noise, law.scale(), 0));
    values
}
