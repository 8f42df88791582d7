//! The adversary reads every release to the unit: the noise that it computes is the noise that was drawn.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "planted/field.rs"]
mod field;

use dpsda::learner::{ALGORITHMS, Noises};
use dpsda::objective::Objective;
use dpsda::privacy::mechanism::Noise;
use dpsda::rng::{Purpose, Seed};
use dpsda_audit::adversary::Adversary;
use dpsda_audit::canary::{Bait, CostStream};
use dpsda_audit::{Honest, Host, Playing};
use field::{FIELD, Field};

#[test]
fn the_noise_that_it_computes_is_the_noise_that_was_drawn() {
    let mut compared = 0;
    for algorithm in ALGORITHMS.iter().filter(|a| a.build.facts.noises == Noises::Gradients) {
        for more in [
            "",
            "arithmetic = 'grid'",
            "adjacency = 'example'",
            "level = 0.3\ndecide = 'private'\nnoise = 'all'",
        ] {
            let field = Field { algorithm: algorithm.name, nodes: 3, features: 7, rounds: 20, more, ..FIELD };
            let arena = field.arena();
            let seed = Seed::new(9).trial(4);
            let costs = Bait::bland(&arena);
            let seen = Honest.play(Playing { arena: &arena, costs: &costs, event: 1, seed }).unwrap();
            let adversary = Adversary::new(&arena);
            let style = arena.spec.style();
            for (i, t) in (0..3).flat_map(|i| (0..20).map(move |t| (i, t))) {
                // In the paper's order no node sends its last gradient.
                let Some(release) = adversary.release(&seen, i, t, None) else {
                    assert!(more.contains("private") && t == 19, "{} {more} {i} {t}", algorithm.name);
                    continue;
                };
                let y = seen.estimate(t, if style.is_central() { 0 } else { i }).unwrap();
                let mut secret = Vec::new();
                costs.reveal(t, &mut |f: &dyn Objective| secret = adversary.secret(i, f, y));
                let mut drawn = vec![0; secret.len()];
                let mut stream = seed.stream(Purpose::Noise, i as u64, t + u64::from(style.averages()));
                let Noise::Exact(mut noise) = arena.spec.plan().noise(i) else { unreachable!("exact") };
                noise.perturb(&mut drawn, &mut stream);
                let read: Vec<i64> = release.value.iter().zip(&secret).map(|(v, a)| (v - a) as i64).collect();
                assert_eq!(read, drawn, "{} {more} node {i} round {t}", algorithm.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 900, "{compared}");
}
