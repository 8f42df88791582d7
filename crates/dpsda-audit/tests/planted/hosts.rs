//! Faulty hosts: they change costs, run learners that cheat, or make mistakes after a restart.

use std::ops::Range;

use dpsda::Error;
use dpsda::learner::Algorithm;
use dpsda::objective::Objective;
use dpsda::rng::Seed;
use dpsda_audit::canary::{Bait, CostStream};
use dpsda_audit::host::{drive, shows};
use dpsda_audit::{Arena, Honest, Host, Transcript};

/// Another seed, with which nothing else is drawn.
fn fresh(seed: Seed) -> Seed {
    Seed { seed: !seed.seed, ..seed }
}

/// Runs learners that cheat. It tells them the seed of the run, which the library hides from every learner.
pub(crate) struct Cheats {
    pub(crate) with: fn(Seed) -> Algorithm,
}

impl Host for Cheats {
    fn play(
        &self,
        arena: &Arena,
        costs: &dyn CostStream,
        event: u64,
        seed: Seed,
    ) -> Result<Transcript, Error> {
        let cheating = arena.clone().running(arena.spec.shared_plan(), (self.with)(seed));
        Honest.play(&cheating, costs, event, seed)
    }
}

/// Clips every coordinate of a gradient by itself to the node's share of a clip of 1, which bounds no norm. This happens before
/// the program sees the cost, and the plan's own clip is too large to matter.
pub(crate) struct ClipsByCoordinate;

impl Host for ClipsByCoordinate {
    fn play(
        &self,
        arena: &Arena,
        costs: &dyn CostStream,
        event: u64,
        seed: Seed,
    ) -> Result<Transcript, Error> {
        let held = HeldStream { costs, share: 1.0 / arena.nodes() as f64 };
        Honest.play(arena, &held, event, seed)
    }
}

struct HeldStream<'a> {
    costs: &'a dyn CostStream,
    share: f64,
}

impl CostStream for HeldStream<'_> {
    fn reveal(&self, t: u64, see: &mut dyn FnMut(&dyn Objective)) {
        self.costs.reveal(t, &mut |cost| see(&Held { cost, share: self.share }));
    }
}

/// A cost whose gradient is clipped so.
struct Held<'a> {
    cost: &'a dyn Objective,
    share: f64,
}

impl Objective for Held<'_> {
    fn dim(&self) -> usize {
        self.cost.dim()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.cost.value(x)
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        self.cost.partial(x, block, g);
        g.iter_mut().for_each(|g| *g = g.clamp(-self.share, self.share));
    }
}

/// Loses its record in a crash, draws new noise for the same round, and sends that too.
pub(crate) struct ReNoises;

impl Host for ReNoises {
    fn play(
        &self,
        arena: &Arena,
        costs: &dyn CostStream,
        event: u64,
        seed: Seed,
    ) -> Result<Transcript, Error> {
        let mut seen = drive(arena, costs, arena.fleet(seed)?)?;
        seen.again = said(arena, event, &drive(arena, costs, arena.fleet(fresh(seed))?)?);
        Ok(seen)
    }
}

/// Replays a round after a restart over data that have changed meanwhile, with the noise that the round names.
pub(crate) struct Replays;

impl Host for Replays {
    fn play(
        &self,
        arena: &Arena,
        costs: &dyn CostStream,
        event: u64,
        seed: Seed,
    ) -> Result<Transcript, Error> {
        let mut seen = drive(arena, costs, arena.fleet(seed)?)?;
        seen.again = said(arena, event, &drive(arena, &Bait::bland(arena), arena.fleet(seed)?)?);
        Ok(seen)
    }
}

/// The messages of all nodes in the round that shows the event.
fn said(arena: &Arena, event: u64, seen: &Transcript) -> Vec<(u64, dpsda::learner::Message)> {
    let t = shows(arena, event);
    seen.said[t as usize].iter().map(|message| (t, message.clone())).collect()
}

/// Has run before, over other data, with the same seed.
pub(crate) struct SameSeed;

impl Host for SameSeed {
    fn play(&self, arena: &Arena, costs: &dyn CostStream, _: u64, seed: Seed) -> Result<Transcript, Error> {
        after(drive(arena, &Bait::bland(arena), arena.fleet(seed)?)?, arena, costs, seed)
    }
}

/// Has run before, over other data, with another seed, as it should.
pub(crate) struct NewSeed;

impl Host for NewSeed {
    fn play(&self, arena: &Arena, costs: &dyn CostStream, _: u64, seed: Seed) -> Result<Transcript, Error> {
        after(drive(arena, &Bait::bland(arena), arena.fleet(fresh(seed))?)?, arena, costs, seed)
    }
}

fn after(
    earlier: Transcript,
    arena: &Arena,
    costs: &dyn CostStream,
    seed: Seed,
) -> Result<Transcript, Error> {
    let seen = drive(arena, costs, arena.fleet(seed)?)?;
    Ok(Transcript { earlier: Some(Box::new(earlier)), ..seen })
}
