//! Theorem A, term by term.

use dpsda::bounds::spread::{Lag, Spread};
use dpsda::bounds::{BoundPoint, Constants, Missing, Perturbation, Promise, SignalMoments};
use dpsda::learner::Step;

use crate::fresh;

/// Two nodes with this many coordinates each.
fn two_nodes(size: usize) -> Constants {
    Constants {
        sizes: vec![size; 2],
        diameter: 4.0,
        reach: 4.0,
        psi: 5.0,
        gradient: 3.0,
        examples: vec![3.0; 2],
        smoothness: 0.01,
        separable: true,
    }
}

/// Theorem A by hand: three rounds, one node behind by one round.
#[test]
fn the_bound_is_the_sum_of_its_terms() {
    let constants = two_nodes(1);
    struct Late;
    impl Spread for Late {
        fn round(&mut self, t: u64, lengths: &[f64]) -> Result<Vec<Lag>, Missing> {
            let past = lengths.last().copied().unwrap_or(0.0);
            Ok(vec![Lag::default(), Lag { past, noise: t.min(1) as f64 }])
        }

        fn own_is_exact(&self) -> bool {
            true
        }
    }
    let signal = |variance| SignalMoments { square: 9.0, ..fresh(variance, false, true) };
    let promise = Promise { constants, signal: signal(0.25), step: Step::decaying(2.0), averages: false };
    let found = promise.curve(Late, &[1, 3]).unwrap();
    // alpha(-1) = alpha(0) = 2, alpha(1) = sqrt 2; E|phi|^2 <= 9 + 2/4; e <= 3 + 1/2, nothing in round 0
    let (root, square) = (2_f64.sqrt(), 9.5);
    let terms = square / 2.0 * (2.0 + 2.0 + root) + 4.0 * 0.01 * 3.5 * (2.0 + root);
    assert_eq!(found[0], BoundPoint { rounds: 1, regret: square + 2.5, consensus: 0.0 });
    assert!(
        (found[1].regret - (terms + 5.0 * 3_f64.sqrt() / 2.0)).abs() < 1e-12 && found[1].consensus == 12.25
    );
    // Where blocks are coupled, (E2) is paid too.
    let mut coupled = promise.clone();
    coupled.constants.separable = false;
    coupled.constants.reach = 1e9;
    let more = coupled.curve(Late, &[3]).unwrap()[0].regret;
    assert!((more - found[1].regret - 3.0 * 3.5 * (2.0 + root)).abs() < 1e-9, "{more}");
    // Short gradients make it less, in proportion.
    let mut tally = promise.clone().tally(Late).unwrap();
    for (length, steepness) in [(1.0, 2.0), (0.5, 2.0), (0.0, 2.0)] {
        tally.add(length, steepness).unwrap();
    }
    let noise = 0.5 / 2.0 * (2.0 + 2.0 + root) + 0.04 * 0.5 * (2.0 + root);
    let gradients = 1.0 + 0.25 + 0.04 * (2.0 + 0.5 * root);
    assert!((tally.point().regret - (noise + gradients + 5.0 * 3_f64.sqrt() / 2.0)).abs() < 1e-12);
    assert_eq!(promise.trivial(), 12.0);
    let rough = Promise {
        constants: Constants { smoothness: f64::INFINITY, ..promise.constants.clone() },
        ..promise.clone()
    };
    assert_eq!(rough.curve(Late, &[3]), Err(Missing::Rough));
    assert!(rough.curve(dpsda::bounds::spread::NoLag, &[3]).is_ok(), "alone, smoothness is not needed");
    let free =
        Promise { constants: Constants { psi: f64::INFINITY, ..promise.constants.clone() }, ..promise };
    assert_eq!(free.curve(Late, &[3]), Err(Missing::Unbounded));
}

/// Noise that cancels over time is in every sum: (E2) pays for it, and (E3) where there are others, and two sums differ by that of both.
#[test]
fn noise_that_cancels_is_paid_for_in_every_sum_and_twice_between_two() {
    let constants = two_nodes(2);
    struct Fresh(usize);
    impl Spread for Fresh {
        fn round(&mut self, _: u64, _: &[f64]) -> Result<Vec<Lag>, Missing> {
            Ok(vec![Lag::default(); self.0])
        }

        fn own_is_exact(&self) -> bool {
            true
        }
    }
    let noise = Perturbation::Prefix(vec![0.0, 0.5, 0.7]);
    let signal = SignalMoments { square: 9.0, bias: 0.0, noise };
    let promise = Promise { constants, signal, step: Step::decaying(1.0), averages: false };
    // Sums of 0, 1 and 2 releases, 4 coordinates; alpha(-1) = alpha(0) = 1, alpha(1) = 1/sqrt 2.
    let (first, second) = (2.0 * 0.5, 2.0 * 0.7);
    let root = 2_f64.sqrt();
    let noise = first + second / root;
    let common = 4.5 * (2.0 + 1.0 / root) + 3.0 * noise + 5.0 * 3_f64.sqrt();
    for nodes in [1, 2] {
        // A single node takes the gradient where it decides, so no term is left over.
        let expected = common + if nodes == 1 { 0.0 } else { 4.0 * 0.01 * noise };
        let found = promise.curve(Fresh(nodes), &[3]).unwrap()[0];
        assert!((found.regret - expected).abs() < 1e-12, "{found:?} {expected}");
        let apart = if nodes == 1 { 0.0 } else { 2.0 * (2.0 * second).powi(2) };
        assert!((found.consensus - apart).abs() < 1e-12, "{found:?} {apart}");
    }
    let rough = Promise {
        constants: Constants { smoothness: f64::INFINITY, ..promise.constants.clone() },
        ..promise.clone()
    };
    assert!(rough.curve(Fresh(1), &[3]).is_ok(), "alone, smoothness is not needed");
    assert_eq!(rough.curve(Fresh(2), &[3]), Err(Missing::Rough));
}
