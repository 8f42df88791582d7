//! Trying to beat the clip: whatever goes in, what comes out is within the bound, in exact integers.

use dpsda::privacy::clip::{Clip, Norm};
use dpsda::rng::{Purpose, Seed};
use rand::RngExt;

/// Numbers that break arithmetic which is almost right.
const NASTY: [f64; 20] = [
    0.0,
    -0.0,
    f64::MIN_POSITIVE,
    -5e-324,
    1e-300,
    1e-9,
    0.5,
    1.0 - f64::EPSILON / 2.0,
    1.0,
    1.0 + f64::EPSILON,
    -1.0,
    3.0,
    -1e9,
    4503599627370496.0,
    1e18,
    -1e300,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn clipped(clip: Clip, gradient: &[f64]) -> Vec<i64> {
    let mut sum = vec![0; gradient.len()];
    clip.add(gradient, &mut sum);
    sum
}

/// The norm (L1) or its square (L2), exactly.
fn size(norm: Norm, a: &[i64]) -> u128 {
    let size = |k: &i64| u128::from(k.unsigned_abs());
    match norm {
        Norm::L1 => a.iter().map(size).sum(),
        Norm::L2 => a.iter().map(|k| size(k).pow(2)).sum(),
    }
}

fn limit(clip: Clip) -> u128 {
    let bound = u128::from(clip.bound);
    if clip.norm == Norm::L1 { bound } else { bound * bound }
}

#[test]
fn no_gradient_beats_the_bound() {
    let mut rng = Seed::new(3).stream(Purpose::Data, 0, 0);
    let mut reached = 0;
    for case in 0..60_000_u32 {
        let len = [1, 2, 3, 7, 112, 784][case as usize % 6];
        if len == 784 && case % 60 != 5 {
            continue;
        }
        let clip = Clip {
            norm: if rng.random() { Norm::L1 } else { Norm::L2 },
            bound: rng.random::<u64>() >> rng.random_range(16..64),
            bits: rng.random_range(0..53),
        };
        let scale = rng.random_range(-60.0..60.0_f64).exp2();
        let gradient: Vec<f64> = (0..len)
            .map(|_| match rng.random_range(0..4) {
                0 => NASTY[rng.random_range(0..NASTY.len())],
                // Near the bound, where rounding matters.
                1 => clip.bound as f64 / f64::from(clip.bits).exp2() * rng.random_range(-1.0..1.0),
                2 => scale * (rng.random::<f64>() - 0.5),
                _ => f64::from_bits(rng.random()),
            })
            .collect();
        let a = clipped(clip, &gradient);
        assert!(size(clip.norm, &a) <= limit(clip), "{clip:?} {gradient:?} -> {a:?}");
        reached += u32::from(size(clip.norm, &a) as f64 > 0.98 * limit(clip) as f64 && clip.bound > 1 << 12);
        for (k, g) in a.iter().zip(&gradient) {
            assert!(g.is_finite() || *k == 0, "what is not finite becomes 0");
            assert!(*k == 0 || (*k > 0) == (*g > 0.0), "no sign is turned: {g} -> {k}");
        }
    }
    assert!(reached > 1000, "the bound is reached, not merely kept: {reached}");
}

#[test]
fn replacing_one_example_moves_a_sum_by_at_most_twice_the_bound() {
    let mut rng = Seed::new(4).stream(Purpose::Data, 0, 0);
    for norm in [Norm::L1, Norm::L2] {
        let clip = Clip { norm, bound: 1_000_003, bits: 20 };
        for _ in 0..3000 {
            let mut one = || -> Vec<f64> { (0..5).map(|_| NASTY[rng.random_range(0..20)]).collect() };
            let (rest, left, right) = (one(), one(), one());
            let sum = |example: &[f64]| {
                let mut sum = vec![0; 5];
                [&rest, example].into_iter().for_each(|g| clip.add(g, &mut sum));
                sum
            };
            let moved: Vec<i64> = sum(&left).iter().zip(sum(&right)).map(|(a, b)| a - b).collect();
            assert!(
                size(norm, &moved) <= limit(Clip { bound: 2 * clip.bound, ..clip }),
                "{left:?} {right:?}"
            );
        }
    }
}

/// A shrink that rounds to nearest, or a norm rounded down, would be a little too large: the test above must see that.
#[test]
fn rounding_the_wrong_way_would_be_seen() {
    let mut rng = Seed::new(5).stream(Purpose::Data, 0, 0);
    let mut beaten = 0;
    for _ in 0..2000 {
        let g: Vec<i64> = (0..7).map(|_| rng.random_range(-1_000_000..1_000_000)).collect();
        let norm = size(Norm::L2, &g).isqrt();
        let nearest: Vec<i64> = g.iter().map(|k| (*k as f64 * 5000.0 / norm as f64).round() as i64).collect();
        beaten += u32::from(size(Norm::L2, &nearest) > 5000 * 5000);
    }
    assert!(beaten > 500, "{beaten}");
}
