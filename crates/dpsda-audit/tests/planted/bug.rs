//! Sixteen ways to break it, each in one part.

use std::sync::Arc;

use dpsda::catalog::{Listing, find};
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::{Build, Exact, Kind, MECHANISMS, Spec};
use dpsda::privacy::plan::{Shape, Wish};
use dpsda::privacy::{Cost, Plan};
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

/// The arena of `field` with one part swapped for a broken one, and who plays in it. The claim stays that of the honest
/// plan.
pub(crate) fn plant(bug: Bug, field: Field) -> (Arena, &'static dyn Host) {
    let mut arena = field.arena();
    let honest: &dyn Host = &Honest;
    let mechanism = |arena: &mut Arena, entry: &'static Listing<Kind>, clip: f64| {
        arena.plan = Arc::new(broken_plan(arena, &field, entry, clip));
    };
    match bug {
        Bug::NoClip => mechanism(&mut arena, find(MECHANISMS, "", field.mechanism).unwrap(), 1000.0),
        Bug::ClipAfterNoise => {
            assert_eq!(arena.claimed.clip(0).unwrap().bound, BOUND as u64);
            mechanism(&mut arena, &CLIP_AFTER, 1000.0);
        }
        Bug::ScaleOffByN => mechanism(&mut arena, &OFF_BY_N, 1.0),
        Bug::ScaleTenPercentSmall => mechanism(&mut arena, &TEN_PERCENT, 1.0),
        Bug::ScaleThreePercentSmall => mechanism(&mut arena, &THREE_PERCENT, 1.0),
        Bug::HalfTheNoise => {
            let entry = match field.mechanism {
                "tree" => &HALF_TREE,
                "toeplitz" => &HALF_TOEPLITZ,
                _ => &HALF_GAUSSIAN,
            };
            mechanism(&mut arena, entry, 1.0);
        }
        Bug::ClipInTheWrongNorm => {
            // In L2 a node's share of sqrt(1/n) C is C/n, its share in L1.
            mechanism(&mut arena, &WRONG_NORM, (field.nodes as f64).sqrt().recip());
            let (ours, due) = (arena.plan.clip(0).unwrap().bound, arena.claimed.clip(0).unwrap().bound);
            assert!(ours.abs_diff(due) < 100, "{ours} {due}");
        }
        Bug::ClipByCoordinate => {
            mechanism(&mut arena, find(MECHANISMS, "", field.mechanism).unwrap(), 1000.0);
            arena.build = learners::clips_by_coordinate;
        }
        Bug::NoiseOnTheWrongCoordinate => mechanism(&mut arena, &WRONG_COORDINATE, 1.0),
        Bug::GeneratorReseeded => mechanism(&mut arena, &RESEEDED, 1.0),
        Bug::FloatingPointNoise => mechanism(&mut arena, find(MECHANISMS, "", "laplace").unwrap(), 1.0),
        Bug::OwnShareUnNoised => arena.build = learners::own_share,
        Bug::DecisionsFromTheUnNoisedState => arena.build = learners::unnoised_decisions,
        Bug::ReNoisedAfterRestart => return (arena, &hosts::ReNoises),
        Bug::SameSeedDifferentData => return (arena, &hosts::SameSeed),
        Bug::ReplayedRoundWithNewData => return (arena, &hosts::Replays),
    }
    (arena, honest)
}

/// A plan with another mechanism or clip, on the honest grid and with the scale of noise that was claimed.
fn broken_plan(arena: &Arena, field: &Field, mechanism: &'static Listing<Kind>, clip: f64) -> Plan {
    let averages = arena.mixes();
    let bits = arena.claimed.clip(0).unwrap().bits;
    let gain = if averages { field.nodes as f64 } else { 1.0 };
    // A level is what a scale is set by directly: scale = gain / (n level).
    let level = gain / (field.nodes as f64 * arena.claimed.scale() * (1.0 - 1e-12));
    let adjacency = arena.claimed.adjacency();
    let wish = Wish { clip: Some(clip), grid: Some(bits), adjacency, ..Wish::level(mechanism, level) };
    let shape = Shape { averages, blocks: &arena.blocks, rounds: field.rounds, batch: 3 };
    let plan = Plan::new(wish, &shape).unwrap();
    assert!((plan.scale() / arena.claimed.scale() - 1.0).abs() < 1e-6, "the scale is the one claimed");
    assert_eq!(plan.unit(), arena.claimed.unit());
    plan
}

const fn entry(name: &'static str, build: fn(Spec<u64>) -> Box<dyn Exact>) -> Listing<Kind> {
    priced(Norm::L1, false, name, build)
}

const fn priced(
    norm: Norm,
    correlated: bool,
    name: &'static str,
    build: fn(Spec<u64>) -> Box<dyn Exact>,
) -> Listing<Kind> {
    Listing { name, about: "", keys: &[], build: Kind { norm, correlated, build: Build::Exact(build) } }
}

static OFF_BY_N: Listing<Kind> = entry("off by n", |spec| broken(spec, 2, How::AsItIs));
static TEN_PERCENT: Listing<Kind> = entry("ten percent", |spec| scaled(spec, 0.9));
static THREE_PERCENT: Listing<Kind> = entry("three percent", |spec| scaled(spec, 0.97));
static HALF_GAUSSIAN: Listing<Kind> =
    priced(Norm::L2, false, "half", |spec| halved("discrete-gaussian", spec));
static HALF_TREE: Listing<Kind> = priced(Norm::L2, true, "half", |spec| halved("tree", spec));
static HALF_TOEPLITZ: Listing<Kind> = priced(Norm::L2, true, "half", |spec| halved("toeplitz", spec));
static WRONG_NORM: Listing<Kind> = priced(Norm::L2, false, "wrong norm", |spec| broken(spec, 1, How::AsItIs));
static CLIP_AFTER: Listing<Kind> = entry("clip after", |spec| broken(spec, 1, How::ClipAfter));
static WRONG_COORDINATE: Listing<Kind> =
    entry("wrong coordinate", |spec| broken(spec, 1, How::WrongCoordinate));
static RESEEDED: Listing<Kind> = entry("reseeded", |spec| broken(spec, 1, How::Reseeded(None)));

/// A node's share of the clip that was claimed, in units of the grid.
const BOUND: i64 = 1 << 23;

enum How {
    AsItIs,
    ClipAfter,
    WrongCoordinate,
    Reseeded(Option<[u8; 32]>),
}

/// The honest noise, handled wrongly. It claims what the honest one claims.
struct Broken {
    honest: Box<dyn Exact>,
    real: Box<dyn Exact>,
    how: How,
}

fn broken(spec: Spec<u64>, divide: u64, how: How) -> Box<dyn Exact> {
    let real = laplace(Spec { scale: (spec.scale / divide).max(1), ..spec });
    Box::new(Broken { honest: laplace(spec), real, how })
}

fn scaled(spec: Spec<u64>, by: f64) -> Box<dyn Exact> {
    let real = laplace(Spec { scale: (spec.scale as f64 * by) as u64, ..spec });
    Box::new(Broken { honest: laplace(spec), real, how: How::AsItIs })
}

fn halved(name: &str, spec: Spec<u64>) -> Box<dyn Exact> {
    let real = exact(name, Spec { scale: spec.scale / 2, ..spec });
    Box::new(Broken { honest: exact(name, spec), real, how: How::AsItIs })
}

fn laplace(spec: Spec<u64>) -> Box<dyn Exact> {
    exact("discrete-laplace", spec)
}

fn exact(name: &str, spec: Spec<u64>) -> Box<dyn Exact> {
    match find(MECHANISMS, "", name).unwrap().build.build {
        Build::Exact(build) => build(spec),
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
                // What was meant for the first coordinate goes to the second.
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

    fn cost(&self, moved: u64, times: u64) -> Cost {
        self.honest.cost(moved, times)
    }

    fn log_likelihood(&self, noise: &[Vec<i64>]) -> f64 {
        self.honest.log_likelihood(noise)
    }

    fn prefix_deviation(&self, rounds: u64) -> f64 {
        self.honest.prefix_deviation(rounds)
    }
}
