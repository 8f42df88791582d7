//! Our draws and OpenDP's come from the same laws.
//!
//! OpenDP seeds itself, so these tests differ from run to run, and each raises one false alarm in a million.

#[path = "../../crates/dpsda/tests/samplers/tails.rs"]
mod tails;

use std::collections::BTreeMap;

use dpsda::privacy::sample::{GaussianSampler, LaplaceSampler};
use dpsda::rng::{Purpose, Seed, Stream};
use opendp::traits::samplers::{sample_discrete_gaussian, sample_discrete_laplace};

const ALARM: f64 = 1e-6;
const DRAWS: usize = 200_000;

fn stream(scale: u64) -> Stream {
    Seed::new(4).stream(Purpose::Noise, scale, 0)
}

fn our_laplace(scale: u64) -> Vec<i64> {
    let mut noise = vec![0; DRAWS];
    LaplaceSampler::new(scale).add_to(&mut noise, &mut stream(scale));
    noise
}

fn our_gaussian(scale: u64) -> Vec<i64> {
    let mut noise = vec![0; DRAWS];
    GaussianSampler::new(scale).add_to(&mut noise, &mut stream(scale));
    noise
}

fn their_laplace(scale: u64) -> Vec<i64> {
    let draw = |_| sample_discrete_laplace(scale.into()).expect("the system gives entropy");
    (0..DRAWS).map(draw).map(|k| k.try_into().expect("a draw of 2^63 is out of reach")).collect()
}

fn their_gaussian(scale: u64) -> Vec<i64> {
    let draw = |_| sample_discrete_gaussian(scale.into()).expect("the system gives entropy");
    (0..DRAWS).map(draw).map(|k| k.try_into().expect("a draw of 2^63 is out of reach")).collect()
}

/// How probable it is that draws of one law are at least as different: chi-square over cells of a quarter of the scale,
/// joined until each holds 20 of both together, and the distance of the distribution functions.
fn same(a: &[i64], b: &[i64], scale: u64) -> (f64, f64) {
    let mut cells = BTreeMap::<i64, [f64; 2]>::new();
    for (which, draws) in [a, b].into_iter().enumerate() {
        let cell =
            |k: i64| if k.abs() <= 1 { k } else { k.signum() * (2 + 4 * (k.abs() - 2) / scale as i64) };
        draws.iter().for_each(|k| cells.entry(cell(*k)).or_default()[which] += 1.0);
    }
    let mut cells: Vec<[f64; 2]> = cells.into_values().collect();
    let small = |cells: &[[f64; 2]]| cells.iter().position(|c| c[0] + c[1] < 20.0);
    while let Some(j) = small(&cells).or_else(|| cells.len().is_multiple_of(2).then_some(0)) {
        let cell = cells.remove(j);
        let to = if j < cells.len() / 2 { j } else { j - 1 };
        cells[to].iter_mut().zip(cell).for_each(|(c, more)| *c += more);
    }
    // Equally many of both: in a cell of c and d the two are expected equal, and (c - d)^2/(c + d) is its share.
    let x = cells.iter().map(|[c, d]| (c - d).powi(2) / (c + d)).sum();
    (tails::chi_square(x, cells.len() - 1), tails::kolmogorov_smirnov(distance(a, b), DRAWS as f64 / 2.0))
}

/// The largest distance between the distribution functions. Of two samples of n it behaves like that of one of n/2 from
/// its law (Wei and Dudley 2012: from n = 458 on with the same constant).
fn distance(a: &[i64], b: &[i64]) -> f64 {
    let mut steps: Vec<(i64, i32)> = a.iter().map(|k| (*k, 1)).chain(b.iter().map(|k| (*k, -1))).collect();
    steps.sort_unstable();
    let climb = |lead: &mut i32, run: &[(i64, i32)]| {
        *lead += run.iter().map(|(_, step)| step).sum::<i32>();
        Some(*lead)
    };
    let leads = steps.chunk_by(|s, t| s.0 == t.0).scan(0, climb);
    f64::from(leads.map(i32::abs).max().unwrap_or(0)) / DRAWS as f64
}

fn assert_same(ours: fn(u64) -> Vec<i64>, theirs: fn(u64) -> Vec<i64>) {
    for scale in [1, 10, 1000] {
        let (chi_square, kolmogorov_smirnov) = same(&ours(scale), &theirs(scale), scale);
        assert!(chi_square > ALARM, "scale {scale}: chi-square {chi_square:e}");
        assert!(kolmogorov_smirnov > ALARM, "scale {scale}: Kolmogorov-Smirnov {kolmogorov_smirnov:e}");
    }
}

#[test]
fn our_laplace_draws_are_not_to_be_told_from_those_of_opendp() {
    assert_same(our_laplace, their_laplace);
}

#[test]
fn our_gaussian_draws_are_not_to_be_told_from_those_of_opendp() {
    assert_same(our_gaussian, their_gaussian);
}

#[test]
fn a_scale_five_percent_off_is_told_by_both_statistics() {
    let (chi_square, kolmogorov_smirnov) = same(&our_laplace(1050), &our_laplace(1000), 1000);
    assert!(chi_square < ALARM && kolmogorov_smirnov < ALARM, "{chi_square:e}, {kolmogorov_smirnov:e}");
    let (chi_square, kolmogorov_smirnov) = same(&our_gaussian(1050), &our_gaussian(1000), 1000);
    assert!(chi_square < ALARM && kolmogorov_smirnov < ALARM, "{chi_square:e}, {kolmogorov_smirnov:e}");
}
