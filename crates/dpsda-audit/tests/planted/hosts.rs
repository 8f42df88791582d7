//! Hosts that do what must not be done after a restart.

use dpsda::rng::Seed;
use dpsda_audit::canary::{Bait, Costs};
use dpsda_audit::host::{drive, shows};
use dpsda_audit::{Arena, Host, Transcript};

/// Another seed, with which nothing else is drawn.
fn fresh(seed: Seed) -> Seed {
    Seed { seed: !seed.seed, ..seed }
}

/// Loses its record in a crash, draws new noise for the same round, and sends that too.
pub(crate) struct ReNoises;

impl Host for ReNoises {
    fn play(&self, arena: &Arena, costs: &dyn Costs, event: u64, seed: Seed) -> Transcript {
        let mut seen = drive(arena, costs, arena.played(), arena.learners(seed));
        let second = drive(arena, costs, arena.played(), arena.learners(fresh(seed)));
        let t = shows(arena, event);
        seen.again = second.said[t as usize].iter().map(|message| (t, message.clone())).collect();
        seen
    }
}

/// Replays a round after a restart over data that have changed meanwhile, with the noise the round is named for.
pub(crate) struct Replays;

impl Host for Replays {
    fn play(&self, arena: &Arena, costs: &dyn Costs, event: u64, seed: Seed) -> Transcript {
        let mut seen = drive(arena, costs, arena.played(), arena.learners(seed));
        let second = drive(arena, &Bait::bland(arena), arena.played(), arena.learners(seed));
        let t = shows(arena, event);
        seen.again = second.said[t as usize].iter().map(|message| (t, message.clone())).collect();
        seen
    }
}

/// Has run before, over other data, with the same seed.
pub(crate) struct SameSeed;

impl Host for SameSeed {
    fn play(&self, arena: &Arena, costs: &dyn Costs, _: u64, seed: Seed) -> Transcript {
        let mut seen = drive(arena, costs, arena.played(), arena.learners(seed));
        seen.earlier =
            Some(Box::new(drive(arena, &Bait::bland(arena), arena.played(), arena.learners(seed))));
        seen
    }
}

/// Has run before, over other data, with another seed, as it should.
pub(crate) struct NewSeed;

impl Host for NewSeed {
    fn play(&self, arena: &Arena, costs: &dyn Costs, _: u64, seed: Seed) -> Transcript {
        let mut seen = drive(arena, costs, arena.played(), arena.learners(seed));
        let before = drive(arena, &Bait::bland(arena), arena.played(), arena.learners(fresh(seed)));
        seen.earlier = Some(Box::new(before));
        seen
    }
}
