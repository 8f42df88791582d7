//! Sixteen ways to break the program, each in one part.

use std::sync::Arc;

use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::{DiscreteLaplace, Exact, Noise, Order};
use dpsda::privacy::plan::{Extent, Plan, Privacy};
use dpsda::privacy::{Mechanism, Price};
use dpsda::rng::Stream;
use dpsda_audit::{Arena, Honest, Host};
use rand::{Rng, SeedableRng};

use crate::field::Field;
use crate::{hosts, learners};

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bug {
    NoClip,
    ClipAfterNoise,
    ScaleOffByN,
    ScaleTenPercentSmall,
    ScaleThreePercentSmall,
    HalfTheNoise,
    ClipInTheWrongNorm,
    ClipByCoordinate,
    NoiseOnTheWrongCoordinate,
    OwnShareUnNoised,
    DecisionsFromTheUnNoisedState,
    FloatingPointNoise,
    GeneratorReseeded,
    ReNoisedAfterRestart,
    SameSeedDifferentData,
    ReplayedRoundWithNewData,
}

/// The arena of `field` with one part swapped for a broken one, and the host that plays in it. The claim stays that of the
/// honest plan.
pub(crate) fn plant(bug: Bug, field: Field) -> (Arena, &'static dyn Host) {
    let arena = field.arena();
    let under = |mechanism: Mechanism, clip: f64| {
        let plan = Arc::new(broken_plan(&arena, &field, mechanism, clip));
        arena.clone().running(plan, arena.spec.algorithm().clone())
    };
    let named = |name: &str| Mechanism::named(name).unwrap();
    let broken = match bug {
        Bug::NoClip => under(named(field.mechanism), 1000.0),
        Bug::ClipAfterNoise => {
            assert_eq!(arena.claimed.clip(0).unwrap().bound, BOUND as u64);
            under(laplace("clip after", Norm::L1, 1.0, How::ClipAfter), 1000.0)
        }
        Bug::ScaleOffByN => under(laplace("off by n", Norm::L1, 0.5, How::AsItIs), 1.0),
        Bug::ScaleTenPercentSmall => under(laplace("ten percent", Norm::L1, 0.9, How::AsItIs), 1.0),
        Bug::ScaleThreePercentSmall => under(laplace("three percent", Norm::L1, 0.97, How::AsItIs), 1.0),
        Bug::HalfTheNoise => under(half(named(field.mechanism)), 1.0),
        Bug::ClipInTheWrongNorm => {
            // In L2 a node's share of sqrt(1/n) C is C/n, its share in L1.
            let share = (field.nodes as f64).sqrt().recip();
            let broken = under(laplace("wrong norm", Norm::L2, 1.0, How::AsItIs), share);
            let [ours, due] = [broken.spec.plan(), &arena.claimed].map(|plan| plan.clip(0).unwrap().bound);
            assert!(ours.abs_diff(due) < 100, "{ours} {due}");
            broken
        }
        Bug::ClipByCoordinate => return (under(named(field.mechanism), 1000.0), &hosts::ClipsByCoordinate),
        Bug::NoiseOnTheWrongCoordinate => {
            under(laplace("wrong coordinate", Norm::L1, 1.0, How::WrongCoordinate), 1.0)
        }
        Bug::GeneratorReseeded => under(laplace("reseeded", Norm::L1, 1.0, How::Reseeded(None)), 1.0),
        Bug::FloatingPointNoise => under(named("laplace"), 1.0),
        Bug::OwnShareUnNoised => return (arena, &hosts::Cheats { with: learners::own_share }),
        Bug::DecisionsFromTheUnNoisedState => {
            return (arena, &hosts::Cheats { with: learners::unnoised_decisions });
        }
        Bug::ReNoisedAfterRestart => return (arena, &hosts::ReNoises),
        Bug::SameSeedDifferentData => return (arena, &hosts::SameSeed),
        Bug::ReplayedRoundWithNewData => return (arena, &hosts::Replays),
    };
    (broken, &Honest)
}

/// A plan with another mechanism or clip, on the honest grid and with the scale of noise that was claimed.
fn broken_plan(arena: &Arena, field: &Field, mechanism: Mechanism, clip: f64) -> Plan {
    let style = arena.spec.style();
    let bits = arena.claimed.clip(0).unwrap().bits;
    let gain = if style.averages() { field.nodes as f64 } else { 1.0 };
    // A level sets the scale directly: scale = gain / (n level).
    let level = gain / (field.nodes as f64 * arena.claimed.scale() * (1.0 - 1e-12));
    let asked = Privacy::level(level).mechanism(mechanism).clip(clip).grid(bits);
    let extent = Extent { style, blocks: arena.spec.blocks(), rounds: field.rounds, batch: 3 };
    let plan = Plan::new(asked.adjacency(arena.claimed.adjacency()), &extent).unwrap();
    assert!((plan.scale() / arena.claimed.scale() - 1.0).abs() < 1e-6, "the scale is the one claimed");
    assert_eq!(plan.unit(), arena.claimed.unit());
    plan
}

/// A node's share of the clip that was claimed, in units of the grid.
const BOUND: i64 = 1 << 23;

/// What is done with the noise.
#[derive(Clone, Copy)]
enum How {
    AsItIs,
    ClipAfter,
    WrongCoordinate,
    Reseeded(Option<[u8; 32]>),
}

/// The honest noise, handled wrongly. It claims what the honest noise claims.
struct Broken {
    honest: Box<dyn Exact>,
    real: Box<dyn Exact>,
    how: How,
}

/// Discrete Laplace noise of `share` of its scale, handled wrongly, under a plan that prices it in this norm.
fn laplace(name: &'static str, norm: Norm, share: f64, how: How) -> Mechanism {
    let honest = Mechanism::from(DiscreteLaplace);
    Mechanism::exact(name, norm, move |order| Broken::new(&honest, order, share, how))
}

/// Half of the noise of any exact mechanism.
fn half(honest: Mechanism) -> Mechanism {
    let (norm, correlated) = (honest.norm(), honest.is_correlated());
    let half = Mechanism::exact("half", norm, move |order| Broken::new(&honest, order, 0.5, How::AsItIs));
    if correlated { half.correlated() } else { half }
}

impl Broken {
    fn new(honest: &Mechanism, order: Order<u64>, share: f64, how: How) -> Self {
        let scale = (order.scale as f64 * share) as u64;
        Self { honest: exact(honest, order), real: exact(honest, Order { scale, ..order }), how }
    }
}

fn exact(mechanism: &Mechanism, order: Order<u64>) -> Box<dyn Exact> {
    match mechanism.in_units(order) {
        Noise::Exact(noise) => noise,
        _ => unreachable!("discrete noise is exact"),
    }
}

impl Exact for Broken {
    fn perturb(&mut self, value: &mut [i64], stream: &mut Stream) {
        match &mut self.how {
            How::AsItIs => self.real.perturb(value, stream),
            How::ClipAfter => {
                self.real.perturb(value, stream);
                value.iter_mut().for_each(|v| *v = (*v).clamp(-BOUND, BOUND));
            }
            How::WrongCoordinate => {
                let mut noise = vec![0; value.len()];
                self.real.perturb(&mut noise, stream);
                // The noise for the first coordinate goes to the second.
                value[1..].iter_mut().zip(&noise[1..]).for_each(|(v, n)| *v += n);
                value[1] += noise[0];
            }
            How::Reseeded(key) => {
                let key = *key.get_or_insert_with(|| {
                    let mut key = [0; 32];
                    stream.fill_bytes(&mut key);
                    key
                });
                self.real.perturb(value, &mut Stream::from_seed(key));
            }
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
