//! An audit in one run, with a canary in every round (Steinke, Nasr and Jagielski 2023).
//!
//! A coin decides every round's event, up or down. After the run the adversary guesses the coins from the transcript. It
//! guesses those it is most certain of, and abstains from the rest. Under the claim it cannot be right much more often than a
//! biased coin.

use std::ops::Range;

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

/// The result of one run.
#[derive(Debug, Clone, Copy)]
pub struct OneRun {
    /// The node of the events, or all nodes.
    pub view: View,
    /// The number of events.
    pub canaries: u64,
    /// The number of events that the adversary guessed.
    pub guessed: u64,
    /// The number of right guesses.
    pub right: u64,
    /// The delta for which epsilon is measured.
    pub delta: f64,
}

impl OneRun {
    /// The lower bound on epsilon with this confidence.
    pub fn epsilon(&self, confidence: f64) -> f64 {
        bound::epsilon_of_guesses(self.canaries, self.guessed, self.right, self.delta, confidence)
    }
}

/// Plays one run with all rounds of the arena. For `View::Node` every node has its own coins, and the events of one node are
/// guessed. For `View::All` all nodes share their coins; if an event is an agent's, the nodes take turns. Correlated noise is refused: there, the noise of one release depends
/// on other releases, and a guess would need the other events.
pub fn one_run(arena: &Arena, view: View, seed: u64) -> Result<OneRun, Error> {
    if arena.correlated() {
        let remedy =
            "this noise is correlated over rounds, so guesses of single rounds show nothing (play many runs)";
        return Err(Error::value("mechanism", format!("{:?}", arena.claimed.mechanism().name()), remedy));
    }
    view.check(arena)?;
    let rounds = arena.played();
    let seed = Seed::new(seed);
    let mut coins = seed.stream(Purpose::Data, u64::MAX, 0);
    let tossed: Vec<Vec<bool>> = (0..rounds)
        .map(|_| match view {
            View::All => vec![coins.next_u32() & 1 == 1; arena.nodes()],
            View::Node(_) => (0..arena.nodes()).map(|_| coins.next_u32() & 1 == 1).collect(),
        })
        .collect();
    let seen = drive(arena, &Tossed { arena, tossed: &tossed }, arena.fleet(seed)?)?;
    let nodes = |t: u64| match view {
        View::All if arena.by_agent() => {
            let turn = (t % arena.nodes().max(1) as u64) as usize;
            turn..turn + 1
        }
        View::All => 0..arena.nodes(),
        View::Node(i) => i..i + 1,
    };
    let adversary = Adversary::new(arena);
    // How certain each guess is, and whether it is right. A ratio of exactly zero gives no guess. If a guess was planned there,
    // it counts as wrong, because the theorem takes the number of guesses as given.
    let mut guesses: Vec<(f64, bool)> = Vec::new();
    for (t, tossed) in (0..rounds).zip(&tossed) {
        let ratio: f64 = nodes(t).map(|i| ratio(&adversary, &seen, i, t)).sum();
        if ratio != 0.0 {
            guesses.push((ratio.abs(), (ratio > 0.0) == tossed[nodes(t).start]));
        }
    }
    guesses.sort_by(|a, b| b.0.total_cmp(&a.0));
    let guessed = (share(&adversary, nodes(0)) * rounds as f64) as usize;
    guesses.truncate(guessed);
    let right = guesses.iter().filter(|(_, right)| *right).count();
    Ok(OneRun { view, canaries: rounds, guessed: guessed as u64, right: right as u64, delta: arena.delta() })
}

/// The share of coins that is guessed. It is fixed before the run is read, as the theorem demands. With Laplace noise the ratio
/// has its largest value whenever the noise exceeds the canary at every node; the share is the chance of that. Gaussian noise
/// has no such plateau, and a few certain guesses are better than many.
fn share(adversary: &Adversary<'_>, nodes: Range<usize>) -> f64 {
    const LEAST: f64 = 0.1;
    let arena = adversary.arena;
    let beyond = |i: usize| 0.5 * arena.claimed.cost(i).as_pure().map_or(0.0, |epsilon| (-epsilon).exp());
    let plateau = 0.5_f64.powi(nodes.len() as i32) + nodes.map(beyond).product::<f64>();
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
