//! Tests that take minutes: `cargo xtask soak`.

use std::ops::ControlFlow;

use dpsda_audit::canary::Canary;
use dpsda_audit::{Game, Honest};

use crate::bug::{Bug, plant};
use crate::field::{FIELD, Field};

const MILLION: u64 = 1_000_000;

#[test]
fn soak_three_percent_too_little_noise_is_caught_in_a_million_runs_per_world() {
    let (arena, host) = plant(Bug::ScaleThreePercentSmall, Field { epsilon: 4.0, ..FIELD });
    let found = crate::accusations(&arena, host, &[Canary::AtTheClip], 1, MILLION);
    assert!(!found.is_empty(), "it went unnoticed");
}

#[test]
fn soak_a_clean_build_is_not_accused_in_a_million_runs_per_world() {
    for algorithm in ["dpsda-r", "dpsda-c"] {
        let arena = Field { algorithm, epsilon: 4.0, ..FIELD }.arena();
        let found = crate::accusations(&arena, &Honest, &[Canary::AtTheClip], 1, MILLION);
        assert!(found.is_empty(), "{algorithm}: {found:?}");
    }
}

#[test]
fn soak_the_bound_comes_near_the_claim_in_every_algorithm() {
    for algorithm in crate::promising() {
        let arena = Field { algorithm: algorithm.name, ..FIELD }.arena();
        let game = Game { arena: &arena, host: &Honest, canary: Canary::AtTheClip, event: 1, seed: 17 };
        let scores = game.nodes(200_000, &|_| ControlFlow::Continue(())).unwrap();
        for (i, measured) in scores.iter().map(|s| s.measure(0.0)).enumerate() {
            let bound = measured.epsilon(0.99);
            assert!((0.95..=1.0).contains(&bound), "{} node {i}: {bound}", algorithm.name);
        }
    }
}
