//! Draws a second on one core: the exact samplers, and OpenDP's on the same machine in the same run.
//!
//! OpenDP takes any rational scale and any size of draw, in big numbers; ours takes integers up to 2^48. Its generator is
//! here `rand`'s, a ChaCha20 like ours, and not OpenSSL's.
#![allow(clippy::print_stdout, reason = "a table is what it is for")]

use std::time::Duration;

use dpsda::privacy::sample::{GaussianSampler, LaplaceSampler};
use dpsda::rng::{Purpose, Seed};
use dpsda_benches::{Work, rates};
use opendp::traits::samplers::{sample_discrete_gaussian, sample_discrete_laplace};
use rand::Rng;

/// How many values are noised at a time: they stay in the first cache.
const BATCH: usize = 1024;

fn main() {
    let stream = |i| Seed::new(1).stream(Purpose::Noise, i, 0);
    let (mut words, mut values) = (stream(0), [0; BATCH]);
    let mut generator: [Work<'_>; 1] = [Box::new(move || {
        values.iter_mut().for_each(|v| *v = words.next_u64());
        BATCH as u64
    })];
    let words = rates(&mut generator, 200, Duration::from_millis(1));
    println!("ChaCha20: {:.0} million words of 64 bits a second\n", words[0] / 1e6);
    println!("million draws a second        dpsda   opendp    ratio");
    for scale in [1, 10, 1000, 1 << 20, (1 << 20) + 7, 1 << 40] {
        let (laplace, gaussian) = (LaplaceSampler::new(scale), GaussianSampler::new(scale));
        let (mut a, mut b) = (stream(1), stream(2));
        let (mut x, mut y) = ([0; BATCH], [0; BATCH]);
        let mut works: [Work<'_>; 4] = [
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
        ];
        let rates = rates(&mut works, 200, Duration::from_millis(1));
        for (law, rates) in ["Laplace", "Gaussian"].iter().zip(rates.chunks(2)) {
            let (ours, theirs) = (rates[0] / 1e6, rates[1] / 1e6);
            println!("{law:8} {scale:>14}     {ours:>8.2} {theirs:>8.3} {:>8.0}", ours / theirs);
        }
    }
}
