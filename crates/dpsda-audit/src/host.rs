//! Drives the learners round by round and writes down what they emit.

use dpsda::learner::{Learner, Message};
use dpsda::rng::Seed;

use crate::canary::Costs;
use crate::{Arena, Transcript};

/// Plays one run as a deployment would, restarts included.
pub trait Host: Sync {
    /// What the run over these costs emits. `event` is the round in which a crash happens right after sending.
    fn play(&self, arena: &Arena, costs: &dyn Costs, event: u64, seed: Seed) -> Transcript;
}

/// The host as it should be: after a crash it finds its durable record and sends the same bytes again.
pub struct Honest;

impl Host for Honest {
    fn play(&self, arena: &Arena, costs: &dyn Costs, event: u64, seed: Seed) -> Transcript {
        let mut seen = drive(arena, costs, arena.played(), arena.learners(seed));
        let record = shows(arena, event);
        let again = seen.said.get(record as usize).into_iter().flatten();
        seen.again = again.map(|message| (record, message.clone())).collect();
        seen
    }
}

/// The round whose messages hold the release of the event of round `t`: the same, or the next one where duals are mixed.
pub fn shows(arena: &Arena, t: u64) -> u64 {
    t + u64::from(arena.mixes())
}

/// `rounds` rounds: decide, reveal, learn, exchange.
pub fn drive(
    arena: &Arena,
    costs: &dyn Costs,
    rounds: u64,
    mut learners: Vec<Box<dyn Learner>>,
) -> Transcript {
    let mut seen = Transcript::default();
    let estimates = |learners: &[Box<dyn Learner>]| learners.iter().map(|l| l.estimate().to_vec()).collect();
    for (t, round) in (0..rounds).zip(&arena.rounds) {
        seen.estimates.push(estimates(&learners));
        costs.reveal(t, &mut |f| learners.iter_mut().for_each(|l| l.learn(t, f)));
        let said = speak(&mut learners, t, arena);
        for (to, learner) in learners.iter_mut().enumerate() {
            let others = round.heard[to].iter().filter(|from| **from != to);
            let inbox: Vec<&Message> = others.map(|from| &said[*from]).collect();
            learner.listen(t, &inbox);
        }
        seen.said.push(said);
    }
    seen.estimates.push(estimates(&learners));
    if arena.mixes() && arena.publishes() {
        seen.said.push(speak(&mut learners, rounds, arena));
    }
    seen
}

fn speak(learners: &mut [Box<dyn Learner>], t: u64, arena: &Arena) -> Vec<Message> {
    let Some(round) = arena.rounds.get(t as usize) else { return Vec::new() };
    learners.iter_mut().zip(&round.degrees).map(|(l, degree)| l.speak(*degree)).collect()
}
