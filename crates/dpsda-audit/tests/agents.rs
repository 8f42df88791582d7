//! The auditor at `adjacency = "agent"`: an honest program is not accused, and what is planted in the agents' own part is found.
//!
//! There are fewer than 20 audits of honest programs here, with a doubt of 1e-5 each: the chance of a false alarm is below
//! 2e-4, over the choice of the seed. The seed is fixed, so the suite is always green or always red.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use dpsda::learner::Algorithm;
use dpsda::prelude::*;
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::{Exact, Noise, Order};
use dpsda::privacy::plan::Extent;
use dpsda::privacy::{Mechanism, Price};
use dpsda::rng::Stream;
use dpsda_audit::audit::{AuditOptions, AuditedNodes, audit, honest, work};
use dpsda_audit::canary::{Canary, CostStream};
use dpsda_audit::{Arena, Game, Honest, Host, Playing, Transcript, View, one_run};

const DOUBT: f64 = 1e-5;
const ROUNDS: u64 = 3;

fn go(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Two agents with blocks of 1 and 3 coordinates, each with an epsilon of 1.
fn arena(algorithm: &str, mechanism: &str, delta: f64) -> Arena {
    let asked = Privacy::epsilon(1.0).delta(delta).clip(1.0).mechanism(Mechanism::named(mechanism).unwrap());
    let spec = Spec::new(Blocks::of(&[1, 3], 4).unwrap()).set(Free).rounds(ROUNDS).privacy(asked.agents());
    let spec = spec.algorithm(Algorithm::named(algorithm).unwrap());
    let spec = if algorithm == "dpcda" { spec } else { spec.graph(Complete::new(2).unwrap()) };
    Arena::new(&spec.check().unwrap(), ROUNDS).unwrap()
}

/// The views that exceed their claim.
fn accusations(arena: &Arena, host: &dyn Host, canaries: &[Canary], event: u64, runs: u64) -> Vec<String> {
    let views = (arena.nodes() + 1) * canaries.len();
    let mut found = Vec::new();
    for canary in canaries {
        let game = Game { arena, host, canary: *canary, event, seed: 17 };
        let mut scores = game.nodes(runs, &go).unwrap();
        scores.push(game.all(runs, &go).unwrap());
        for measured in scores.iter().map(|scores| scores.measure(arena.delta())) {
            let claim = match measured.view {
                View::Node(i) => arena.claim_of(i).unwrap(),
                View::All => arena.claim().unwrap(),
            };
            if measured.epsilon(1.0 - DOUBT / views as f64) > claim {
                found.push(format!("{:?} {canary:?} by {}", measured.view, measured.statistic()));
            }
        }
    }
    found
}

#[test]
fn an_honest_program_is_not_accused_and_every_node_has_the_whole_claim() {
    let mut audits = 0;
    for mechanism in ["discrete-laplace", "discrete-gaussian", "tree", "toeplitz"] {
        for algorithm in ["dpsda-r", "dpsda-c", "dpsda-ps", "dpcda"] {
            if Mechanism::named(mechanism).unwrap().is_correlated()
                && algorithm != "dpsda-r"
                && algorithm != "dpcda"
            {
                continue; // no plan can be made of it
            }
            let arena = arena(algorithm, mechanism, 1e-2);
            for claim in [arena.claim_of(0), arena.claim_of(1), arena.claim()] {
                assert!((0.999..=1.0 + 1e-9).contains(&claim.unwrap()), "{mechanism}: {claim:?}");
            }
            let found = accusations(&arena, &Honest, &Canary::ALL, 1, 1000);
            assert!(found.is_empty(), "{algorithm} {mechanism}: {found:?}");
            audits += 1;
        }
    }
    assert_eq!(audits, 12, "the false alarms stated above are for fewer than 20");
}

/// So a bug has little room to hide.
#[test]
fn the_bound_comes_near_the_claim() {
    for algorithm in ["dpsda-r", "dpsda-c"] {
        let arena = arena(algorithm, "discrete-laplace", 1e-5);
        let game = Game { arena: &arena, host: &Honest, canary: Canary::AtTheClip, event: 1, seed: 3 };
        let scores = game.nodes(20_000, &go).unwrap().into_iter().chain([game.all(20_000, &go).unwrap()]);
        for measured in scores.map(|scores| scores.measure(0.0)) {
            let bound = measured.epsilon(0.99);
            assert!((0.85..=1.0).contains(&bound), "{algorithm} {:?}: {bound}", measured.view);
        }
    }
}

#[test]
fn one_run_in_which_agents_take_turns_comes_near_the_claim() {
    let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace).agents();
    let spec = Spec::new(Blocks::even(4, 2).unwrap()).set(Free).graph(Complete::new(2).unwrap());
    let spec = spec.algorithm(Relay).rounds(10_000).privacy(asked).check().unwrap();
    let arena = Arena::new(&spec, 10_000).unwrap();
    for view in [View::Node(1), View::All] {
        let found = one_run(&arena, view, 5).unwrap();
        assert!(found.epsilon(1.0 - DOUBT) <= 1.0 && found.epsilon(0.99) > 0.8, "{view:?} {found:?}");
    }
}

/// The arena of a program with another mechanism or clip, held to the promise of the right one.
fn broken(right: &Arena, mechanism: Mechanism, clip: f64) -> Arena {
    let plan = &right.claimed;
    let (style, blocks) = (right.spec.style(), right.spec.blocks());
    let gain = if style.averages() { 2.0 } else { 1.0 };
    let level = gain / (2.0 * plan.scale() * (1.0 - 1e-12)); // a level sets the scale directly
    let asked = Privacy::level(level).mechanism(mechanism).clip(clip).grid(plan.clip(0).unwrap().bits);
    let made = Plan::new(asked.agents(), &Extent { style, blocks, rounds: ROUNDS, batch: 1 }).unwrap();
    assert_eq!(made.unit(), plan.unit());
    right.clone().running(Arc::new(made), right.spec.algorithm().clone())
}

/// Claims what discrete Laplace noise claims, and adds `share` of it.
struct TooLittle {
    honest: Box<dyn Exact>,
    real: Option<Box<dyn Exact>>,
}

fn too_little(share: f64) -> Mechanism {
    Mechanism::exact("too little", Norm::L1, move |order: Order<u64>| {
        let exact = |scale: f64| match Mechanism::from(DiscreteLaplace)
            .in_units(Order { scale: scale as u64, ..order })
        {
            Noise::Exact(noise) => noise,
            _ => unreachable!("discrete noise is exact"),
        };
        let scale = order.scale as f64;
        TooLittle { honest: exact(scale), real: (share > 0.0).then(|| exact(scale * share)) }
    })
}

impl Exact for TooLittle {
    fn perturb(&mut self, value: &mut [i64], stream: &mut Stream) {
        if let Some(real) = &mut self.real {
            real.perturb(value, stream);
        }
    }

    fn cost(&self, moved: u64, times: u64) -> Price {
        self.honest.cost(moved, times)
    }

    fn log_likelihood(&self, noise: &[Vec<i64>]) -> f64 {
        self.honest.log_likelihood(noise)
    }

    fn prefix_deviation(&self, rounds: u64) -> f64 {
        self.honest.prefix_deviation(rounds)
    }
}

const ALGORITHMS: [&str; 4] = ["dpsda-r", "dpsda-c", "dpsda-ps", "dpcda"];

#[test]
fn noise_forgotten_on_the_own_part_is_found() {
    for algorithm in ALGORITHMS {
        let right = arena(algorithm, "discrete-laplace", 1e-5);
        let found = accusations(&broken(&right, too_little(0.0), 1.0), &Honest, &[Canary::AtTheClip], 1, 500);
        assert_eq!(found.len(), 3, "{algorithm}: {found:?}");
    }
}

/// Noise for a share of the clip would be right if nodes shared the clip, as they do for rounds.
#[test]
fn noise_for_a_share_of_the_clip_is_found() {
    for algorithm in ALGORITHMS {
        let right = arena(algorithm, "discrete-laplace", 1e-5);
        let found =
            accusations(&broken(&right, too_little(0.5), 1.0), &Honest, &[Canary::AtTheClip], 1, 2000);
        assert_eq!(found.len(), 3, "{algorithm}: {found:?}");
    }
}

#[test]
fn an_own_part_that_is_not_clipped_is_found() {
    for algorithm in ALGORITHMS {
        let right = arena(algorithm, "discrete-laplace", 1e-5);
        let wide = broken(&right, DiscreteLaplace.into(), 1000.0);
        let found = accusations(&wide, &Honest, &[Canary::Dense], 1, 1000);
        assert_eq!(found.len(), 3, "{algorithm}: {found:?}");
    }
}

/// Hands out costs that count the agents' own part as public: it is then noised with the rest, but no clip holds it.
struct CallsItPublic;

impl Host for CallsItPublic {
    fn play(&self, run: Playing<'_>) -> Result<Transcript, Error> {
        Honest.play(Playing { costs: &Opened(run.costs), ..run })
    }
}

struct Opened<'a>(&'a dyn CostStream);

impl CostStream for Opened<'_> {
    fn reveal(&self, t: u64, see: &mut dyn FnMut(&dyn Objective)) {
        self.0.reveal(t, &mut |cost| see(&OpenCost(cost)));
    }
}

struct OpenCost<'a>(&'a dyn Objective);

impl Objective for OpenCost<'_> {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.0.value(x)
    }

    fn partial(&self, x: &[f64], block: Range<usize>, g: &mut [f64]) {
        self.0.partial(x, block, g);
    }

    fn agent(&self, x: &[f64], block: Range<usize>, own: &mut [f64], public: &mut [f64]) -> bool {
        self.0.partial(x, block, public);
        own.fill(0.0);
        true
    }
}

#[test]
fn a_cost_that_calls_private_data_public_is_found() {
    let right = arena("dpsda-r", "discrete-laplace", 1e-5);
    let found = accusations(&right, &CallsItPublic, &[Canary::Dense], 1, 1000);
    assert_eq!(found.len(), 3, "{found:?}");
}

/// An audit looks at single nodes. If none is asked for, it plays the event at each node in turn.
#[test]
fn an_audit_of_agents_looks_at_every_node_and_counts_its_work() {
    let asked = Privacy::epsilon(1.0).delta(1e-5).clip(1.0).mechanism(Toeplitz).agents();
    let spec = Spec::new(Blocks::even(4, 2).unwrap()).set(Free).graph(Complete::new(2).unwrap());
    let spec = spec.algorithm(Relay).rounds(50).privacy(asked).check().unwrap();
    let arena = Arena::game(&spec).unwrap(); // eight rounds, planned for the same claim
    assert_eq!(arena.claimed.clip(1), spec.plan().clip(1));
    assert!((arena.claim().unwrap() / spec.plan().epsilon().unwrap() - 1.0).abs() < 1e-3);
    for (nodes, views) in
        [(AuditedNodes::Every, &[View::Node(0), View::Node(1)][..]), (AuditedNodes::None, &[View::All])]
    {
        let options = AuditOptions { runs: Some(100), nodes, ..AuditOptions::default() };
        let found = honest(&arena, &options, &go).unwrap();
        let seen: Vec<View> = found.findings.iter().map(|finding| finding.view).collect();
        assert!(seen.iter().all(|view| views.contains(view)) && seen.len() == 3 * views.len(), "{seen:?}");
        assert!(found.findings.iter().all(|finding| !finding.accuses()));
        assert_eq!(work(&arena, &options), 600);
        assert!(audit(&arena, &Honest, &options, &|_| ControlFlow::Break(())).is_err());
    }
}
