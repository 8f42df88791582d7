//! Faulty hosts: they change costs, run learners that cheat, or make mistakes after a restart.

use std::ops::Range;

use dpsda::Error;
use dpsda::learner::Algorithm;
use dpsda::objective::Objective;
use dpsda::rng::Seed;
use dpsda_audit::canary::{Bait, CostStream};
use dpsda_audit::host::{drive, shows};
use dpsda_audit::{Honest, Host, Playing, Transcript};

/// Another seed, with which nothing else is drawn.
fn fresh(seed: Seed) -> Seed {
    Seed::new(!seed.seed).trial(seed.trial).with(seed.generator)
}

/// Runs learners that cheat. It tells them the seed of the run, which the library hides from every learner.
pub(crate) struct Cheats {
    pub(crate) with: fn(Seed) -> Algorithm,
}

impl Host for Cheats {
    fn play(&self, run: Playing<'_>) -> Result<Transcript, Error> {
        let Playing { arena, seed, .. } = run;
        let cheating = arena.clone().running(arena.spec.shared_plan(), (self.with)(seed));
        Honest.play(Playing { arena: &cheating, ..run })
    }
}

/// Clips every coordinate of a gradient by itself to the node's share of a clip of 1, which bounds no norm. This happens before
/// the program sees the cost, and the plan's own clip is too large to matter.
pub(crate) struct ClipsByCoordinate;

impl Host for ClipsByCoordinate {
    fn play(&self, run: Playing<'_>) -> Result<Transcript, Error> {
        let held = HeldStream { costs: run.costs, share: 1.0 / run.arena.nodes() as f64 };
        Honest.play(Playing { costs: &held, ..run })
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
    fn play(&self, run: Playing<'_>) -> Result<Transcript, Error> {
        again(run, drive(run.arena, run.costs, run.arena.fleet(fresh(run.seed))?)?)
    }
}

/// Replays a round after a restart over data that have changed meanwhile, with the noise that the round names.
pub(crate) struct Replays;

impl Host for Replays {
    fn play(&self, run: Playing<'_>) -> Result<Transcript, Error> {
        again(run, drive(run.arena, &Bait::bland(run.arena), run.arena.fleet(run.seed)?)?)
    }
}

/// An honest run, and the messages of another in the round that shows the event.
fn again(run: Playing<'_>, other: Transcript) -> Result<Transcript, Error> {
    let t = shows(run.arena, run.event);
    let again = other.said[t as usize].iter().map(|message| (t, message.clone())).collect();
    Ok(Transcript { again, ..drive(run.arena, run.costs, run.arena.fleet(run.seed)?)? })
}

/// Has run before, over other data, with the same seed.
pub(crate) struct SameSeed;

impl Host for SameSeed {
    fn play(&self, run: Playing<'_>) -> Result<Transcript, Error> {
        after(run, run.seed)
    }
}

/// Has run before, over other data, with another seed, as it should.
pub(crate) struct NewSeed;

impl Host for NewSeed {
    fn play(&self, run: Playing<'_>) -> Result<Transcript, Error> {
        after(run, fresh(run.seed))
    }
}

fn after(Playing { arena, costs, seed, .. }: Playing<'_>, before: Seed) -> Result<Transcript, Error> {
    let earlier = drive(arena, &Bait::bland(arena), arena.fleet(before)?)?;
    Ok(Transcript { earlier: Some(Box::new(earlier)), ..drive(arena, costs, arena.fleet(seed)?)? })
}
