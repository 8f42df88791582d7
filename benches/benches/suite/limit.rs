//! How near rounds come to what this processor can do.
//!
//! A round must draw n d numbers, multiply m n d pairs, add the products one by one in a fixed order (so no product is fused with
//! a sum), and read and write n d numbers. Each of these has a rate that is measured here with nothing else around it. The sum of
//! the three times is a limit for programs that do one after the other, as ours does.

use std::hint::black_box;
use std::time::{Duration, Instant};

use dpsda::prelude::*;
use dpsda::privacy::Mechanism;
use dpsda::privacy::mechanism::{Noise, Order};
use dpsda::privacy::plan::Coverage;
use dpsda::rng::Purpose;
use dpsda_benches::turns::{Turn, turns};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f64x8};

use crate::bandwidth::{LENGTH, SMALL, in_place};
use crate::case::CASES;
use crate::line::{Line, Report, Unit};
use crate::tools::Tools;

/// Values that are noised at once: they stay in the first cache.
const VALUES: usize = 4096;
/// Sums in registers at once.
const SUMS: usize = 8;
/// What each sum multiplies by.
const FACTORS: [f64; SUMS] = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5];
/// Products per sum and call.
const PRODUCTS: usize = 1 << 16;

pub(crate) fn run(_: &Tools, report: &mut Report) -> Result<(), String> {
    let order = Order { node: 0, size: VALUES, rounds: 1, scale: 1000 };
    let Noise::Ideal(mut noise) = Mechanism::from(Laplace).in_units(order) else {
        return Err("laplace is no longer noise over the reals".to_owned());
    };
    let mut stream = Seed::new(1).stream(Purpose::Noise, 0, 0);
    let mut values = vec![0.0; VALUES];
    let mut draw = move |times| {
        let start = Instant::now();
        (0..times).for_each(|_| noise.perturb(black_box(&mut values), &mut stream));
        start.elapsed().as_secs_f64() / (times as f64 * VALUES as f64)
    };
    let multiply = |times: u64| {
        let start = Instant::now();
        (0..times).for_each(|_| {
            black_box(dispatch!(Level::new(), simd => sums(simd, black_box(FACTORS))));
        });
        start.elapsed().as_secs_f64() / (times as f64 * (PRODUCTS * SUMS * 8) as f64)
    };
    let (mut memory, small) = (vec![1.0; LENGTH], vec![0.5; SMALL]);
    let mut pass = in_place(&mut memory, &small);
    for (case, algorithm) in
        CASES.into_iter().flat_map(|case| ["dpsda-c", "dpsda-ps"].map(|name| (case, name)))
    {
        let round = case.ours(algorithm, Coverage::All)?;
        let numbers = (case.n * case.d) as f64;
        let lanes = (case.n.next_multiple_of(8) * case.d * case.batch) as f64;
        let least: Turn<'_> = Box::new(|_| {
            let bytes = pass(1)? * numbers / LENGTH as f64;
            let in_cache = numbers * 8.0 < f64::from(1 << 20);
            Ok(draw(64) * numbers + multiply(4) * lanes + if in_cache { 0.0 } else { bytes })
        });
        let times = turns(&mut [round, least], Duration::from_secs(3))?;
        let what = format!("{} {algorithm}: share of the limit", case.name());
        let note = format!(
            "{:.3} ms per round, {:.3} ms for draws, products and memory",
            1e3 * times.seconds(0).median,
            1e3 * times.seconds(1).median
        );
        report.add(Line::new(what, Unit::Share, times.ratio(1, 0).median).note(note));
    }
    Ok(())
}

/// Sums of products, none of which waits for another's.
#[inline(always)]
fn sums<S: Simd>(simd: S, x: [f64; SUMS]) -> f64 {
    let x = x.map(|x| f64x8::splat(simd, x));
    let mut sums = [f64x8::splat(simd, 0.0); SUMS];
    for k in 0..PRODUCTS {
        let a = f64x8::splat(simd, k as f64);
        for s in 0..SUMS {
            sums[s] += a * x[s];
        }
    }
    let mut eight = [0.0; 8];
    sums.into_iter().fold(f64x8::splat(simd, 0.0), |all, sum| all + sum).store_slice(&mut eight);
    eight.iter().sum()
}
