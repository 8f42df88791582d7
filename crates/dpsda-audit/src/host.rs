//! Drives all nodes round by round and records what they emit.

use std::sync::Arc;

use dpsda::Error;
use dpsda::fleet::{Each, Fleet};
use dpsda::rng::Seed;

use crate::canary::CostStream;
use crate::{Arena, Transcript};

/// One run that a host is to play.
#[derive(Clone, Copy)]
pub struct Playing<'a> {
    /// What is run.
    pub arena: &'a Arena,
    /// Its costs.
    pub costs: &'a dyn CostStream,
    /// The round in which a crash happens, right after the nodes have sent their releases of that round.
    pub event: u64,
    /// The source of all noise.
    pub seed: Seed,
}

/// Plays one run as a deployment would, restarts included.
pub trait Host: Sync {
    /// Plays a run and returns what it emits. An error if a cost does not fit the arena.
    fn play(&self, run: Playing<'_>) -> Result<Transcript, Error>;
}

/// The correct host: after a crash it finds its durable record and sends the same bytes again.
pub struct Honest;

impl Host for Honest {
    fn play(&self, Playing { arena, costs, event, seed }: Playing<'_>) -> Result<Transcript, Error> {
        let mut seen = drive(arena, costs, arena.fleet(seed)?)?;
        let record = shows(arena, event);
        let again = seen.said.get(record as usize).into_iter().flatten();
        seen.again = again.map(|message| (record, message.clone())).collect();
        Ok(seen)
    }
}

/// The round whose messages hold the release of round `t`: the same round, or the next one if nodes average.
pub fn shows(arena: &Arena, t: u64) -> u64 {
    t + u64::from(arena.spec.style().averages())
}

/// Plays all rounds of the arena: decide, reveal, learn, exchange.
pub fn drive(arena: &Arena, costs: &dyn CostStream, mut fleet: Each) -> Result<Transcript, Error> {
    let mut seen = Transcript::default();
    let estimates = |fleet: &Each| (0..fleet.learners()).map(|i| fleet.estimate(i).to_vec()).collect();
    let rounds = arena.played();
    for t in 0..rounds {
        seen.estimates.push(estimates(&fleet));
        let mut learned = Ok(());
        costs.reveal(t, &mut |f| learned = learned.clone().and_then(|()| fleet.learn(t, f)));
        learned?;
        let said = fleet.speak(t);
        fleet.deliver(&said);
        seen.said.push(said.messages.into_iter().map(Arc::unwrap_or_clone).collect());
    }
    seen.estimates.push(estimates(&fleet));
    if arena.spec.style().averages() && arena.publishes() {
        seen.said.push(fleet.speak(rounds).messages.into_iter().map(Arc::unwrap_or_clone).collect());
    }
    Ok(seen)
}
