//! The adversary reads every release to the unit: what it takes for noise is the noise that was drawn.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "planted/field.rs"]
mod field;

use dpsda::learner::{ALGORITHMS, Noises};
use dpsda::objective::Objective;
use dpsda::privacy::Mechanism;
use dpsda::rng::{Purpose, Seed};
use dpsda_audit::adversary::Adversary;
use dpsda_audit::canary::{Bait, Costs};
use dpsda_audit::{Honest, Host};
use field::{FIELD, Field};

#[test]
fn what_it_takes_for_noise_is_the_noise_that_was_drawn() {
    let mut compared = 0;
    for algorithm in ALGORITHMS.iter().filter(|a| a.build.noises == Noises::Gradients) {
        for more in [
            "",
            "arithmetic = 'grid'",
            "adjacency = 'example'",
            "level = 0.3\ndecide = 'private'\nnoise = 'all'",
        ] {
            let field = Field { algorithm: algorithm.name, nodes: 3, features: 7, rounds: 20, more, ..FIELD };
            let arena = field.arena();
            let seed = Seed { seed: 9, trial: 4 };
            let costs = Bait::bland(&arena);
            let seen = Honest.play(&arena, &costs, 1, seed);
            let adversary = Adversary::new(&arena);
            for (i, t) in (0..3).flat_map(|i| (0..20).map(move |t| (i, t))) {
                // The last gradient of the paper's order is sent by nobody.
                let Some(release) = adversary.release(&seen, i, t, None) else {
                    assert!(more.contains("private") && t == 19, "{} {more} {i} {t}", algorithm.name);
                    continue;
                };
                let y = seen.estimate(t, if arena.central { 0 } else { i }).unwrap();
                let mut secret = Vec::new();
                costs.reveal(t, &mut |f: &dyn Objective| secret = adversary.secret(i, f, y));
                let mut drawn = vec![0; secret.len()];
                let mut stream = seed.stream(Purpose::Noise, i as u64, t + u64::from(arena.mixes()));
                let Mechanism::Exact(mut noise) = arena.plan.mechanism(i) else { unreachable!("exact") };
                noise.perturb(&mut drawn, &mut stream);
                let read: Vec<i64> = release.value.iter().zip(&secret).map(|(v, a)| (v - a) as i64).collect();
                assert_eq!(read, drawn, "{} {more} node {i} round {t}", algorithm.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 900, "{compared}");
}
