//! What automatic steps promise.

use super::*;

/// A round of a made-up run with noise, delay, and sums that are sometimes shorter.
fn seen(t: u64, scale: f64, noise: f64) -> AutoSeen {
    let (s, rounds) = (scale * scale, t as f64);
    let sum = if t.is_multiple_of(3) { 0.4 } else { 0.9 } * rounds;
    AutoSeen {
        round: t,
        lag: t % 4,
        energy: s * (1.3 * rounds),
        variance: noise * s * s * 2.0 * rounds,
        length: s * (sum * sum + noise * 7.0 * rounds),
        noise: noise * s * 7.0 * rounds,
        drift: noise.sqrt() * scale * rounds * rounds,
        size: 7.0,
        cap: (noise > 0.0).then_some((s * 4.0, 10.0)),
    }
}

#[test]
fn scaling_everything_released_scales_the_step_back() {
    for noise in [0.0, 0.0625, 4.0] {
        let (mut one, mut other) = (AutoState::default(), AutoState::default());
        for t in 1..200 {
            let a = one.after(5.0, &seen(t, 1.0, noise));
            let b = other.after(5.0, &seen(t, 1024.0, noise)) * 1024.0; // a power of two: the same bits
            assert_eq!(a.to_bits(), b.to_bits(), "{noise} {t}");
            assert_eq!(one.trust.to_bits(), other.trust.to_bits());
        }
    }
}

#[test]
fn a_step_grows_through_trust_alone_and_as_the_radius() {
    for noise in [0.0, 0.0625, 4.0] {
        let (mut state, mut before, mut last) = (AutoState::default(), AutoState::default(), f64::INFINITY);
        for t in 1..500 {
            let step = state.after(5.0, &seen(t, 1.0, noise));
            assert!(step <= last || state.trust > before.trust, "{noise} {t}");
            assert!(state.energy >= before.energy && state.noise >= before.noise && state.lag >= before.lag);
            assert!(state.evidence >= before.evidence && state.reached >= before.reached);
            assert!((0.5..=1.0).contains(&state.trust) && state.trust >= before.trust);
            (before, last) = (state, step);
        }
        assert!(state.trust > 0.5, "{noise}: sums this long are no chance");
        let again = |radius| AutoState::default().after(radius, &seen(9, 1.0, noise));
        assert_eq!(again(10.0), 2.0 * again(5.0));
    }
}

#[test]
fn the_numbers_are_those_of_the_rule() {
    // Without noise: E = 3, |S|^2 = 9, t = 2, L = 2, R = 6.
    let mut state = AutoState::default();
    let quiet = AutoSeen { round: 2, lag: 2, energy: 3.0, length: 9.0, size: 5.0, ..AutoSeen::default() };
    let step = state.after(6.0, &quiet);
    let g = (1.0 + 9.0 / 9.0 / 5.0) / 2.0; // ev = (1 + 4/2) 3
    assert_eq!((state.energy, state.evidence, state.noise), (2.0 * 3.0 * 3.0, 9.0, 0.0));
    assert!((state.trust - g).abs() < 1e-15);
    assert!((step - 6.0 * g.powi(4) / 18_f64.sqrt()).abs() < 1e-14);
    // With noise and a clip: E = min(t C^2, M + t C^2/m, max(M, Eh + 2 sd)).
    let mut state = AutoState::default();
    let loud = AutoSeen {
        round: 4,
        lag: 0,
        energy: 1.0,
        variance: 0.25,
        length: 10.0,
        noise: 2.0,
        drift: 8.0,
        size: 8.0,
        cap: Some((1.0, 8.0)),
    };
    let step = state.after(3.0, &loud);
    let energy = 2.0_f64; // M = 8/4; the least of 4, 2.5 and 2
    assert_eq!((state.reached, state.energy), (2.0, 2.0 * energy));
    assert_eq!(state.noise, 2.0 + 0.25 * (energy / 4.0).sqrt() * 8.0);
    assert_eq!(state.evidence, 2.0 * energy + 2.0 * 0.5);
    let g = (1.0 + 8.0 / 5.0 / 5.0) / 2.0;
    let total = state.energy / f64::powi(g, 8) + state.noise / f64::powi(g, 6);
    assert!((step - 3.0 / total.sqrt()).abs() < 1e-14);
    // Without a clip the energy may be what was measured and a deviation more.
    let mut state = AutoState::default();
    state.after(3.0, &AutoSeen { cap: None, ..loud });
    assert_eq!((state.energy, state.evidence, state.reached), (2.0, 2.0 * 1.5 + 1.0, 0.0));
}

#[test]
fn numbers_without_end_give_no_step_and_no_panic() {
    for bad in [f64::NAN, f64::INFINITY, f64::MAX] {
        let mut state = AutoState::default();
        let seen = AutoSeen { round: 1, energy: bad, length: bad, size: 1.0, ..AutoSeen::default() };
        let step = state.after(5.0, &seen);
        assert!(step.is_finite() && step >= 0.0, "{bad}");
    }
}
