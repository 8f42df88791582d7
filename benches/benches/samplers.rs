//! Draws per second on one core: the exact samplers and the idealised ones, and OpenDP's and `rand_distr`'s on the same machine in
//! the same run.
//!
//! OpenDP takes any rational scale and any size of draw, in big numbers; ours takes integers up to 2^48. Its generator is
//! here `rand`'s, a ChaCha20, and not OpenSSL's. `rand_distr` draws from our streams.
#![allow(clippy::print_stdout, reason = "a table is what it is for")]

use std::time::Duration;

use dpsda::privacy::Mechanism;
use dpsda::privacy::mechanism::{Noise, Order};
use dpsda::privacy::sample::{GaussianSampler, LaplaceSampler};
use dpsda::rng::{Generator, Purpose, Seed, Stream};
use dpsda_benches::{Work, rates};
use opendp::traits::samplers::{sample_discrete_gaussian, sample_discrete_laplace};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Exp1, StandardNormal};

/// How many values are noised at a time: they stay in the first cache.
const BATCH: usize = 1024;

fn stream(i: u64) -> Stream {
    Seed::new(1).stream(Purpose::Noise, i, 0)
}

fn measured(works: &mut [Work<'_>]) -> Vec<f64> {
    rates(works, 200, Duration::from_millis(1)).into_iter().map(|rate| rate / 1e6).collect()
}

fn main() {
    streams();
    exact();
    mechanisms();
}

/// Words of 64 bits from both generators: many of one stream, and a few of each of many.
fn streams() {
    println!("million words a second           AES-256  ChaCha20    ratio");
    for count in [1, 16, 112, 784, 100_000] {
        let words = |generator: Generator| -> Work<'static> {
            let (mut bytes, mut t) = (vec![0; 8 * count], 0);
            Box::new(move || {
                t += 1;
                Seed::new(1).with(generator).stream(Purpose::Noise, 0, t).fill_bytes(&mut bytes);
                count as u64
            })
        };
        let rates = measured(&mut [words(Generator::Second), words(Generator::First)]);
        let (ours, before) = (rates[0], rates[1]);
        println!("{count:>6} of a named stream       {ours:>9.1} {before:>9.1} {:>8.2}", ours / before);
    }
}

fn exact() {
    println!("\nmillion draws a second             dpsda    opendp    ratio");
    for scale in [1, 10, 1000, 1 << 20, (1 << 28) + 7, 1 << 36, 1 << 40] {
        let (laplace, gaussian) = (LaplaceSampler::new(scale), GaussianSampler::new(scale));
        let (mut a, mut b) = (stream(1), stream(2));
        let (mut x, mut y) = ([0; BATCH], [0; BATCH]);
        let rates = measured(&mut [
            Box::new(move || {
                x.fill(0);
                laplace.add_to(&mut x, &mut a);
                BATCH as u64
            }),
            Box::new(move || {
                (0..64).filter(|_| sample_discrete_laplace(scale.into()).is_ok()).count() as u64
            }),
            Box::new(move || {
                y.fill(0);
                gaussian.add_to(&mut y, &mut b);
                BATCH as u64
            }),
            Box::new(move || {
                (0..64).filter(|_| sample_discrete_gaussian(scale.into()).is_ok()).count() as u64
            }),
        ]);
        for (law, rates) in ["Laplace", "Gaussian"].iter().zip(rates.chunks(2)) {
            let (ours, theirs) = (rates[0], rates[1]);
            println!("{law:9} {scale:>14}         {ours:>8.2} {theirs:>9.3} {:>8.0}", ours / theirs);
        }
    }
}

/// The noise of a release of 784 numbers, its stream named anew each time, beside `rand_distr`'s in f64.
fn mechanisms() {
    const SIZE: usize = 784;
    println!("\nmillion draws a second             dpsda rand_distr   ratio");
    let theirs = |normal: bool| -> Work<'static> {
        let mut t = 0;
        Box::new(move || {
            t += 1;
            let mut words = Seed::new(1).stream(Purpose::Noise, 1, t);
            let one = |words: &mut Stream| -> f64 {
                match normal {
                    true => StandardNormal.sample(words),
                    false => {
                        let size: f64 = Exp1.sample(words);
                        if words.random() { size } else { -size }
                    }
                }
            };
            let sum: f64 = (0..SIZE).map(|_| one(&mut words)).sum();
            if sum.is_finite() { SIZE as u64 } else { 0 }
        })
    };
    for name in ["discrete-laplace", "discrete-gaussian", "tree", "toeplitz", "laplace", "gaussian"] {
        let Ok(mechanism) = Mechanism::named(name) else { continue };
        let mut noise = mechanism.in_units(Order { node: 0, size: SIZE, rounds: 1024, scale: 1 << 28 });
        let (mut units, mut reals, mut t) = ([0; SIZE], [0.0; SIZE], 0);
        let ours: Work<'_> = Box::new(move || {
            t += 1;
            let mut words = Seed::new(1).stream(Purpose::Noise, 0, t);
            match &mut noise {
                Noise::Exact(noise) => noise.perturb(&mut units, &mut words),
                Noise::Ideal(noise) => noise.perturb(&mut reals, &mut words),
                Noise::Nothing => {}
            }
            SIZE as u64
        });
        let rates = measured(&mut [ours, theirs(!name.contains("laplace"))]);
        println!("{name:32} {:>8.2} {:>9.2} {:>8.2}", rates[0], rates[1], rates[0] / rates[1]);
    }
}
