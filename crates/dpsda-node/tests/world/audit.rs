//! Audits the traffic while hosts crash, restart and crash again, and messages are lost and repeated.
//!
//! Two worlds differ in one event. All bytes are captured, including those sent again after a restart. A bound above the claim
//! would mean that some crash or loss reveals more than a release may. The same capture detects a host that loses a record and
//! draws new noise.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use dpsda::Error;
use dpsda_audit::audit::CONFIDENCE;
use dpsda_audit::canary::Canary;
use dpsda_audit::{Arena, Game, Host, Measured, Playing, Transcript, View};

use crate::capture::Capture;
use crate::host::World;
use crate::seeds::seeds;
use crate::setting::Setting;

const EXPERIMENT: &str = r#"
rounds = 3
[problem]
loss = "squared"
data = "synthetic-regression"
features = 4
[set]
kind = "box"
lower = -5.0
upper = 5.0
[network]
nodes = 2
graph = "complete"
[privacy]
clip = 1.0
"#;

/// The largest chance that a clean build is accused.
const DOUBT: f64 = 1e-5;

/// Hosts as they are in a faulty world.
struct Faulty<'a> {
    setting: &'a Setting,
    /// Whether a host that has released the event loses its record, and draws new noise before a peer shows it the lost release.
    forgets: bool,
    starts: AtomicU64,
    repeats: AtomicU64,
}

impl<'a> Faulty<'a> {
    fn new(setting: &'a Setting, forgets: bool) -> Self {
        Self { setting, forgets, starts: AtomicU64::new(0), repeats: AtomicU64::new(0) }
    }
}

impl Host for Faulty<'_> {
    fn play(&self, Playing { arena, costs, event, seed }: Playing<'_>) -> Result<Transcript, Error> {
        let mut world = World::new(self.setting, u64::MAX, seed.seed << 24 | u64::from(seed.trial));
        world.costs = Some(costs);
        world.capture = Some(Capture::default());
        for _ in 0..50 {
            world.step(0.08);
            if self.forgets {
                (0..arena.nodes()).for_each(|i| forget(&mut world, i, event));
            }
        }
        world.settle();
        if self.forgets {
            (0..arena.nodes()).for_each(|i| forget(&mut world, i, event));
        }
        let capture = world.capture.take().unwrap();
        assert!(self.forgets || capture.is_plain(), "a repeated message had another content");
        self.repeats.fetch_add(capture.repeats, Ordering::Relaxed);
        let starts: u32 = world.hosts.iter().map(|host| host.lives).sum();
        self.starts.fetch_add(u64::from(starts), Ordering::Relaxed);
        Ok(capture.transcript(arena))
    }
}

/// Once the event of round `event` is released, its record is lost, and the node learns from the round again.
fn forget(world: &mut World<'_>, i: usize, event: u64) {
    let released = world.capture.as_ref().is_some_and(|capture| capture.has(i, event + 1));
    if !released || world.hosts[i].set_back {
        return;
    }
    world.crash(i);
    world.put_back(i, event as usize); // a record a round before it
    world.start(i, 0.0);
    world.cost(i, 0.0);
    world.stored(i, 0.0);
}

struct Found {
    measured: Measured,
    claim: f64,
    /// With the confidence of an accusation.
    certain: f64,
}

/// The settings of one game.
#[derive(Clone, Copy)]
struct Played {
    algorithm: &'static str,
    mechanism: &'static str,
    /// The claim, for all nodes together: its keys.
    claim: &'static str,
    /// The round of the event.
    event: u64,
    /// Runs per world.
    runs: u64,
    /// Whether the event of all nodes together is audited too.
    all: bool,
}

fn play(played: Played, forgets: bool) -> Vec<Found> {
    let Played { algorithm, mechanism, claim, event, runs, all } = played;
    let text = format!("{EXPERIMENT}mechanism = \"{mechanism}\"\n{claim}\n");
    let setting = match algorithm {
        "dpsda-r" => Setting::new(&format!("{text}[algorithm]\nname = \"dpsda-r\"\n")),
        _ => Setting::in_step(&format!(
            "{text}arithmetic = \"grid\"\n[algorithm]\nname = \"{algorithm}\"\nlinks = \"running-sums\"\n"
        )),
    };
    let arena = Arena::of(&setting.run, setting.run.split.rounds);
    let host = Faulty::new(&setting, forgets);
    let game = Game { arena: &arena, host: &host, canary: Canary::AtTheClip, event, seed: 5 };
    let (runs, go_on) = (seeds(runs).end, |_| ControlFlow::Continue(()));
    let mut scores = game.nodes(runs, &go_on).unwrap();
    if all {
        scores.push(Game { seed: 6, ..game }.all(runs, &go_on).unwrap());
    }
    let views = scores.len() as f64;
    let found = |measured: Measured| {
        let claim = match measured.view {
            View::Node(i) => arena.claim_of(i).unwrap(),
            View::All => arena.claim().unwrap(),
        };
        Found { measured, claim, certain: measured.epsilon(1.0 - DOUBT / views) }
    };
    let found: Vec<Found> = scores.iter().map(|scores| found(scores.measure(arena.delta()))).collect();
    let [starts, repeats] = [&host.starts, &host.repeats].map(|count| count.load(Ordering::Relaxed));
    println!(
        "{algorithm}, {mechanism}{}: {} captures, {starts} starts, {repeats} releases seen again",
        if forgets { ", record lost" } else { "" },
        2 * runs * (1 + u64::from(all))
    );
    for Found { measured, claim, certain } in &found {
        println!(
            "  {:?}: epsilon at least {:.3}, for certain {certain:.3}, claimed {claim:.3}, by {}",
            measured.view,
            measured.epsilon(CONFIDENCE),
            measured.statistic()
        );
    }
    let most = 2 * runs * (1 + u64::from(all)) * setting.run.spec.blocks().nodes() as u64;
    assert!(starts > 2 * most && repeats > 2 * most, "there were faults: {starts} starts, {repeats} repeats");
    found
}

/// No view exceeds its claim, and the audit has power: the bound reaches at least a share of the claim. With Gaussian noise
/// that share is small, because a bound from counting is weak there.
fn keeps_its_claim(played: Played, share: f64) {
    let what = format!("{}, {}", played.algorithm, played.mechanism);
    for Found { measured, claim, certain } in play(played, false) {
        assert!(certain <= claim, "{what}, {:?}: {certain} above {claim}", measured.view);
        let bound = measured.epsilon(CONFIDENCE);
        assert!(bound > share * claim, "{what}, {:?}: {bound} of {claim} is no audit", measured.view);
    }
}

const LAPLACE: Played = Played {
    algorithm: "dpsda-r",
    mechanism: "discrete-laplace",
    claim: "epsilon = 2.0",
    event: 1,
    runs: 1200,
    all: true,
};
const GAUSSIAN: Played = Played {
    algorithm: "dpsda-r",
    mechanism: "discrete-gaussian",
    claim: "epsilon = 4.0\ndelta = 1e-2",
    event: 1,
    runs: 1200,
    all: true,
};

#[test]
fn laplace_noise_keeps_its_claim_whatever_crashes() {
    keeps_its_claim(LAPLACE, 0.5);
}

#[test]
fn gaussian_noise_keeps_its_claim_whatever_crashes() {
    keeps_its_claim(GAUSSIAN, 0.15);
}

/// Links carry running sums, and a node that restarts sends the same sums again.
#[test]
fn nodes_that_average_keep_their_claim_whatever_crashes() {
    for algorithm in ["dpsda-c", "dpsda-ps"] {
        keeps_its_claim(Played { algorithm, all: false, ..LAPLACE }, 0.5);
        keeps_its_claim(Played { algorithm, all: false, ..GAUSSIAN }, 0.15);
    }
}

/// Noise that cancels over time hides the first round least.
#[test]
fn correlated_noise_keeps_its_claim_whatever_crashes() {
    for mechanism in ["tree", "toeplitz"] {
        keeps_its_claim(Played { mechanism, event: 0, all: false, ..GAUSSIAN }, 0.15);
    }
}

#[test]
fn new_noise_after_a_lost_record_is_detected() {
    for Found { measured, claim, certain } in play(Played { runs: 3000, all: false, ..LAPLACE }, true) {
        assert!(certain > claim, "{:?}: {certain} of {claim}", measured.view);
        assert!(measured.statistic().ends_with("with every copy"), "by {}", measured.statistic());
    }
}
