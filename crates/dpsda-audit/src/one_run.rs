//! One run, as many canaries as rounds (Steinke, Nasr and Jagielski 2023).
//!
//! Every round's event is tossed, up or down. After the run the adversary guesses the tosses from the transcript, the surest
//! ones first, and abstains from the rest. Under the claim it cannot be right much more often than a biased coin.

use dpsda::Error;
use dpsda::objective::Objective;
use dpsda::rng::{Purpose, Seed};
use rand::Rng;

use crate::adversary::Adversary;
use crate::bound;
use crate::canary::{Bait, Canary, CostStream};
use crate::game::View;
use crate::host::drive;
use crate::{Arena, Transcript};

/// What one run showed.
#[derive(Debug, Clone, Copy)]
pub struct OneRun {
    /// Whose events they were.
    pub view: View,
    /// How many there were.
    pub canaries: u64,
    /// How many of them the adversary guessed.
    pub guessed: u64,
    /// How many of these guesses were right.
    pub right: u64,
    /// The delta that epsilon is measured at.
    pub delta: f64,
}

impl OneRun {
    /// Epsilon is at least this, with the confidence given.
    pub fn epsilon(&self, confidence: f64) -> f64 {
        bound::epsilon_of_guesses(self.canaries, self.guessed, self.right, self.delta, confidence)
    }
}

/// Plays one run of as many rounds as the arena plays. For `View::Node` the events of all nodes are tossed apart, and those of one
/// node are guessed. For `View::All` they are tossed together. Correlated noise is refused: there the release of one event is
/// not noised by itself, and guesses would need the other events.
pub fn one_run(arena: &Arena, view: View, seed: u64) -> Result<OneRun, Error> {
    if arena.correlated() {
        let remedy =
            "this noise is correlated over rounds, and guesses of single rounds say nothing (play many runs)";
        return Err(Error::value("mechanism", format!("{:?}", arena.claimed.mechanism().name()), remedy));
    }
    view.check(arena)?;
    let rounds = arena.played();
    let seed = Seed { seed, trial: 0 };
    let mut coins = seed.stream(Purpose::Data, u64::MAX, 0);
    let tossed: Vec<Vec<bool>> = (0..rounds)
        .map(|_| match view {
            View::All => vec![coins.next_u32() & 1 == 1; arena.nodes()],
            View::Node(_) => (0..arena.nodes()).map(|_| coins.next_u32() & 1 == 1).collect(),
        })
        .collect();
    let seen = drive(arena, &Tossed { arena, tossed: &tossed }, arena.fleet(seed)?)?;
    let nodes: Vec<usize> = match view {
        View::All => (0..arena.nodes()).collect(),
        View::Node(i) => vec![i],
    };
    let adversary = Adversary::new(arena);
    // How sure each guess is, and whether it is right. A ratio of exactly zero gives no guess: if one was planned it counts as wrong,
    // for the theorem takes the number of guesses as given.
    let mut guesses: Vec<(f64, bool)> = Vec::new();
    for (t, tossed) in (0..rounds).zip(&tossed) {
        let ratio: f64 = nodes.iter().map(|i| ratio(&adversary, &seen, *i, t)).sum();
        if ratio != 0.0 {
            guesses.push((ratio.abs(), (ratio > 0.0) == tossed[nodes[0]]));
        }
    }
    guesses.sort_by(|a, b| b.0.total_cmp(&a.0));
    let guessed = (share(&adversary, &nodes) * rounds as f64) as usize;
    guesses.truncate(guessed);
    let right = guesses.iter().filter(|(_, right)| *right).count();
    Ok(OneRun { view, canaries: rounds, guessed: guessed as u64, right: right as u64, delta: arena.delta() })
}

/// The share of the tosses that is guessed, set before the run is looked at, as the theorem asks. With Laplace noise the ratio is
/// as large as it can be whenever the noise goes beyond the canary at every node: that has this chance. Gaussian noise has
/// no such plateau, and a few sure guesses beat many.
fn share(adversary: &Adversary<'_>, nodes: &[usize]) -> f64 {
    const LEAST: f64 = 0.1;
    let arena = adversary.arena;
    let beyond = |i: &usize| 0.5 * arena.claimed.cost(*i).as_pure().map_or(0.0, |epsilon| (-epsilon).exp());
    let plateau = 0.5_f64.powi(nodes.len() as i32) + nodes.iter().map(beyond).product::<f64>();
    match arena.claimed.joint_cost().as_pure() {
        Some(_) => plateau.max(LEAST),
        None => LEAST,
    }
}

/// The log-likelihood ratio of node `i`'s release of round `t`, up against down.
fn ratio(adversary: &Adversary<'_>, seen: &Transcript, i: usize, t: u64) -> f64 {
    let arena = adversary.arena;
    let Some(release) = adversary.release(seen, i, t, None) else { return 0.0 };
    let Some(y) = seen.estimate(t, arena.learner_of(i)) else { return 0.0 };
    let likely = |world: bool| {
        let mut noise = release.value.clone();
        canary(arena, t, |_| world).reveal(t, &mut |f: &dyn Objective| {
            noise.iter_mut().zip(adversary.secret(i, f, y)).for_each(|(v, a)| *v -= a);
        });
        adversary.laws[i].log_likelihood(&[&noise])
    };
    likely(true) - likely(false)
}

fn canary(arena: &Arena, t: u64, worlds: impl Fn(usize) -> bool) -> Bait<'_> {
    Bait::new(arena, Canary::AtTheClip, t, worlds, |i| t as usize % arena.own(i).len())
}

/// A canary in every round.
struct Tossed<'a> {
    arena: &'a Arena,
    tossed: &'a [Vec<bool>],
}

impl CostStream for Tossed<'_> {
    fn reveal(&self, t: u64, see: &mut dyn FnMut(&dyn Objective)) {
        let worlds = &self.tossed[t as usize];
        canary(self.arena, t, |i| worlds[i]).reveal(t, see);
    }
}
