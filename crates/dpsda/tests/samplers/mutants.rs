//! Samplers with a flaw, each caught by the statistic that is there for it.

use dpsda::privacy::sample::LaplaceSampler;
use dpsda::rng::{Purpose, Seed, Stream};
use rand::RngExt;

use crate::law::{DRAWS, Law};
use crate::statistics::{ALARM, chi_square, dependence, far_out, happens, kolmogorov_smirnov, signs};

fn stream() -> Stream {
    Seed::new(9).stream(Purpose::Noise, 0, 0)
}

/// Draws without a flaw.
fn laplace(scale: u64) -> impl Iterator<Item = i64> {
    let (law, mut rng) = (LaplaceSampler::new(scale), Seed::default().stream(Purpose::Noise, scale, 0));
    std::iter::repeat_with(move || law.sample(&mut rng))
}

#[test]
fn a_sampler_one_percent_off_is_caught() {
    for (off, right) in [(990, 1000), ((1 << 20) / 100 * 101, 1 << 20)] {
        for (off, right) in
            [(Law::Laplace(off), Law::Laplace(right)), (Law::Gaussian(off), Law::Gaussian(right))]
        {
            let draws = off.draws(4 * DRAWS);
            assert!(chi_square(&draws, right) < ALARM, "{off:?}");
            assert!(kolmogorov_smirnov(&draws, right) < ALARM, "{off:?}");
        }
    }
}

#[test]
fn a_sampler_that_keeps_minus_zero_is_caught() {
    for scale in [1, 10, 1000] {
        let mut coins = stream();
        let sign = |k: i64| if coins.random() { k } else { -k };
        let draws: Vec<i64> = laplace(scale).filter(|k| *k >= 0).map(sign).take(DRAWS).collect();
        assert!(chi_square(&draws, Law::Laplace(scale)) < ALARM, "{scale}");
    }
}

#[test]
fn a_sampler_that_never_gives_zero_is_caught() {
    let draws: Vec<i64> = laplace(1000).filter(|k| *k != 0).take(DRAWS).collect();
    assert!(chi_square(&draws, Law::Laplace(1000)) < ALARM);
}

#[test]
fn a_draw_rounded_from_the_reals_is_caught() {
    let mut rng = stream();
    let mut real = || -(-rng.random::<f64>()).ln_1p() * if rng.random() { 3.0 } else { -3.0 };
    let draws: Vec<i64> = (0..DRAWS).map(|_| real().round() as i64).collect();
    assert!(chi_square(&draws, Law::Laplace(3)) < ALARM);
}

#[test]
fn a_tail_that_is_cut_is_caught() {
    let draws: Vec<i64> = laplace(1000).map(|k| k.clamp(-8000, 8000)).take(DRAWS).collect();
    assert!(far_out(&draws, Law::Laplace(1000), 8) < ALARM);
}

#[test]
fn a_lattice_is_caught_which_the_distribution_function_hides() {
    let draws: Vec<i64> = laplace(500).map(|k| 2 * k).take(DRAWS).collect();
    assert!(happens(&draws, Law::Laplace(1000), |k| k % 2 == 0) < ALARM);
    assert!(kolmogorov_smirnov(&draws, Law::Laplace(1000)) > ALARM);
}

#[test]
fn a_sign_that_is_not_fair_is_caught() {
    let mut coins = stream();
    let flip = |k: i64| if coins.random_bool(0.504) { k.abs() } else { -k.abs() };
    assert!(signs(&laplace(1000).map(flip).take(DRAWS).collect::<Vec<_>>()) < ALARM);
}

#[test]
fn one_draw_in_a_hundred_that_is_used_twice_is_caught() {
    let mut draws: Vec<i64> = laplace(10).take(DRAWS).collect();
    (100..DRAWS).step_by(100).for_each(|i| draws[i] = draws[i - 1]);
    assert!(dependence(&draws) > 6.0);
}
