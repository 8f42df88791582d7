//! Noise that cancels over time, through the public API: what it gains, and that its price holds.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stand outside #[test]")]

use dpsda::privacy::Mechanism;
use dpsda::privacy::mechanism::{Exact, Noise, Order};
use dpsda::rng::{Purpose, Seed, Stream};

fn build(name: &str, size: usize, rounds: u64, scale: u64) -> Box<dyn Exact> {
    let mechanism = Mechanism::named(name).unwrap();
    assert_eq!(mechanism.is_correlated(), name != "discrete-gaussian");
    match mechanism.in_units(Order { node: 0, size, rounds, scale }) {
        Noise::Exact(noise) => noise,
        _ => panic!("{name} is not exact"),
    }
}

fn stream(t: u64) -> Stream {
    Seed::new(7).stream(Purpose::Noise, 0, t)
}

/// The mechanism with the least noise at which an event that moves 112 coordinates by 2^26 costs at most 1/2 in rho.
fn at_half(name: &str, rounds: u64) -> Box<dyn Exact> {
    let fits =
        |scale| build(name, 112, rounds, scale).cost(1 << 26, 1).as_rho().is_some_and(|rho| rho <= 0.5);
    let (mut low, mut high) = (1_u64, 1 << 40);
    while high - low > low >> 20 {
        let middle = low + (high - low) / 2;
        if fits(middle) { high = middle } else { low = middle }
    }
    build(name, 112, rounds, high)
}

/// By how much the prefix noise at the end of the run is smaller than that of independent noise at the same price.
fn gain(name: &str, rounds: u64) -> f64 {
    at_half("discrete-gaussian", rounds).prefix_deviation(rounds)
        / at_half(name, rounds).prefix_deviation(rounds)
}

#[test]
fn prefix_noise_is_twenty_times_smaller_after_ten_thousand_rounds() {
    let gain_of = gain("toeplitz", 10_000);
    assert!((24.5..25.5).contains(&gain_of), "{gain_of}");
    let short = gain("toeplitz", 500);
    assert!((7.0..7.6).contains(&short), "{short}");
}

#[test]
fn a_tree_gains_less_and_at_its_worst_prefix_two_and_a_half_times() {
    let (tree, plain) = (at_half("tree", 500), at_half("discrete-gaussian", 500));
    let worst = (1..=500).map(|t| tree.prefix_deviation(t)).fold(0.0, f64::max);
    let gain_at_worst = plain.prefix_deviation(500) / worst;
    assert!((2.5..2.8).contains(&gain_at_worst), "{gain_at_worst}");
    let at_end = gain("tree", 500);
    assert!((2.9..3.2).contains(&at_end), "{at_end}");
}

#[test]
fn prefix_noise_is_measured_as_it_is_computed() {
    let (size, rounds) = (2000, 500);
    for name in ["discrete-gaussian", "tree", "toeplitz"] {
        let mut noise = build(name, size, rounds, 1 << 20);
        let mut prefix = vec![0_i64; size];
        for t in 0..rounds {
            let mut release = vec![0; size];
            noise.perturb(&mut release, &mut stream(t));
            prefix.iter_mut().zip(release).for_each(|(sum, v)| *sum += v);
            if [0, 62, 63, 254, 499].contains(&t) {
                let measured = (prefix.iter().map(|n| (*n as f64).powi(2)).sum::<f64>() / size as f64).sqrt();
                let ratio = measured / noise.prefix_deviation(t + 1);
                // The standard error is 1.6%.
                assert!((ratio - 1.0).abs() < 0.05, "{name} after {} rounds: {ratio}", t + 1);
            }
        }
    }
}

#[test]
fn releases_are_as_loud_as_they_say_and_their_sums_too() {
    let (size, rounds) = (4000, 12);
    for name in ["discrete-laplace", "discrete-gaussian", "tree", "toeplitz"] {
        let order = Order { node: 0, size, rounds: 8, scale: 1 << 20 }; // four rounds past the horizon
        let Noise::Exact(mut noise) = Mechanism::named(name).unwrap().in_units(order) else {
            panic!("{name}")
        };
        let said: Vec<_> = noise.variances().unwrap().take(rounds as usize).collect();
        for (t, said) in (0..rounds).zip(said) {
            let mut release = vec![0; size];
            noise.perturb(&mut release, &mut stream(t));
            let measured = release.iter().map(|n| (*n as f64).powi(2)).sum::<f64>() / size as f64;
            // Six standard errors of the variance of a normal sample, and more than those of Laplace's.
            let ratio = measured / said.release;
            assert!((ratio - 1.0).abs() < 0.22, "{name}, release {t}: {ratio}");
            let deviation = noise.prefix_deviation(t + 1);
            assert!((said.sum.sqrt() / deviation - 1.0).abs() < 1e-9, "{name}, sum of {t}");
        }
    }
    for name in ["laplace", "gaussian"] {
        let order = Order { node: 0, size, rounds: 8, scale: 3 };
        let Noise::Ideal(mut noise) = Mechanism::named(name).unwrap().in_units(order) else {
            panic!("{name}")
        };
        let said: Vec<_> = noise.variances().unwrap().take(4).collect();
        let mut release = vec![0.0; size];
        noise.perturb(&mut release, &mut stream(0));
        let measured = release.iter().map(|n| n * n).sum::<f64>() / size as f64;
        assert!((measured / said[3].release - 1.0).abs() < 0.22, "{name}");
        let deviation = noise.prefix_deviation(4).unwrap();
        assert!((said[3].sum.sqrt() / deviation - 1.0).abs() < 1e-12, "{name}");
    }
}

/// Which way an event moves a value may depend on everything released before.
fn way(past: &[i64]) -> i64 {
    if past.iter().enumerate().map(|(t, v)| v * (t as i64 + 2)).sum::<i64>().rem_euclid(5) < 2 {
        -1
    } else {
        1
    }
}

/// `ln E_q (p/q)^alpha / (alpha - 1)` over all sequences of `rounds` releases in a box, where the worlds differ by `moves`.
fn divergence(noise: &dyn Exact, moves: &[i64], alpha: f64, reach: i64) -> f64 {
    let (mut sum, mut p_all, mut q_all) = (0.0, 0.0, 0.0);
    let side = 2 * reach + 1;
    for index in 0..side.pow(moves.len() as u32) {
        // The first world's values are zeros, so what is released is the noise.
        let released: Vec<i64> =
            (0..moves.len()).map(|t| index / side.pow(t as u32) % side - reach).collect();
        let other = |t: usize| vec![released[t] - moves[t] * way(&released[..t])];
        let p = noise.log_likelihood(&released.iter().map(|v| vec![*v]).collect::<Vec<_>>());
        let q = noise.log_likelihood(&(0..moves.len()).map(other).collect::<Vec<_>>());
        sum += (alpha * p + (1.0 - alpha) * q).exp();
        p_all += p.exp();
        q_all += q.exp();
    }
    // The box holds all but a negligible part of both laws, which have the same constant.
    assert!((p_all / q_all - 1.0).abs() < 1e-4, "{p_all} {q_all}");
    (sum / q_all).ln() / (alpha - 1.0)
}

/// Not the proof's steps but its conclusion, by summing up the law of whole transcripts.
#[test]
fn the_renyi_divergence_of_all_transcripts_is_below_the_price() {
    let cases: [(&str, &[i64], i64); 11] = [
        ("discrete-gaussian", &[0, 1], 12),
        ("tree", &[2], 20),
        ("tree", &[1, 0], 16),
        ("tree", &[0, 1], 16),
        ("tree", &[1, 0, 0], 16),
        ("tree", &[1, 1, 0], 18),
        ("toeplitz", &[2], 20),
        ("toeplitz", &[1, 0], 14),
        ("toeplitz", &[0, -1], 14),
        ("toeplitz", &[1, 0, 0], 16),
        ("toeplitz", &[1, 0, 1], 16),
    ];
    for (name, moves, reach) in cases {
        let noise = build(name, 1, moves.len() as u64, 2);
        let most = moves.iter().map(|m| m.unsigned_abs()).max().unwrap();
        let times = moves.iter().filter(|m| **m != 0).count() as u64;
        let rho = noise.cost(most, times).as_rho().unwrap();
        for alpha in [1.1, 2.0, 3.0] {
            let found = divergence(&*noise, moves, alpha, reach);
            assert!(found <= alpha * rho * (1.0 + 1e-6), "{name} {moves:?}: {found} above {alpha} * {rho}");
            let tight = name != "toeplitz" || moves.len() == 1; // on so coarse a grid rounding is most of the price
            assert!(
                !tight || times > 1 || moves[0] == 0 || found > 0.98 * alpha * rho,
                "{name} {moves:?} wastes"
            );
        }
    }
}

#[test]
fn noise_depends_on_the_streams_and_on_nothing_else() {
    let releases = |name: &str, value: i64| -> Vec<Vec<i64>> {
        let mut noise = build(name, 4, 20, 1000);
        let one = |t: i64| {
            let mut release = vec![value * t; 4];
            noise.perturb(&mut release, &mut stream(t as u64));
            release.iter().map(|v| v - value * t).collect()
        };
        (0..50).map(one).collect()
    };
    for name in ["tree", "toeplitz"] {
        let noise = releases(name, 0);
        assert_eq!(noise, releases(name, 0), "{name}: same streams, same noise");
        assert_eq!(noise, releases(name, -12_345), "{name}: whatever the values are");
        assert!(noise.iter().flatten().any(|v| *v != 0));
    }
}

/// The noise of one release betrays nothing of later rounds: equal streams up to a round, equal releases up to it.
#[test]
fn a_stream_touches_no_release_before_its_own() {
    for name in ["tree", "toeplitz"] {
        let run = |other_from: u64| -> Vec<Vec<i64>> {
            let mut noise = build(name, 2, 40, 1000);
            let one = |t| {
                let mut release = vec![0; 2];
                noise.perturb(&mut release, &mut stream(if t < other_from { t } else { t + 1000 }));
                release
            };
            (0..40).map(one).collect()
        };
        let (a, b) = (run(40), run(25));
        assert_eq!(a[..25], b[..25], "{name}");
        assert_ne!(a[25], b[25], "{name}");
    }
}
