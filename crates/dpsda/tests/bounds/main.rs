//! Constants, lags and formulas of `bounds` against brute force and against numbers worked out by hand.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use dpsda::bounds::{Perturbation, SignalMoments};
use dpsda::catalog::find;
use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::keys::Table;
use dpsda::loss::{LOSSES, Loss};
use dpsda::network::Graph;
use dpsda::network::cycle::Cycle;
use dpsda::network::transit::Transit;
use dpsda::network::weights::{self, Weights};
use dpsda::rng::{Purpose, Seed, Stream};
use dpsda::set::ConvexSet;
use dpsda::{Blocks, Keys, set};
use rand::RngExt;

mod certified;
mod constants;
mod lags;
mod printed;
mod promise;
mod signal;

const SIZES: [usize; 3] = [2, 1, 2];

/// Messages arrive when they are sent.
static PROMPT: Transit = Transit::prompt();

/// Where a bound is attained, the last digit decides.
const ROUNDING: f64 = 1.0 + 1e-12;

fn blocks() -> Blocks {
    Blocks::of(&SIZES, 5).unwrap()
}

fn a_set(text: &str) -> Arc<dyn ConvexSet> {
    let table = dpsda_config::table(text).unwrap();
    set::from_keys(&Keys::new("set", &table), &blocks()).unwrap().into()
}

fn a_loss(name: &str) -> Box<dyn Loss> {
    (find(LOSSES, "loss", name).unwrap().build)(&Keys::new("problem", &Table::new())).unwrap()
}

fn stream(case: u64) -> Stream {
    Seed::new(5).stream(Purpose::Data, case, 0)
}

fn samples(rng: &mut Stream, count: usize) -> Samples {
    let a: Vec<f64> = (0..5 * count).map(|_| rng.random_range(-1.0..1.0)).collect();
    let labels = (0..count).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect();
    Samples { features: Box::new(Dense::new(a, 5).unwrap()), labels }
}

fn norm(a: &[f64]) -> f64 {
    a.iter().map(|a| a * a).sum::<f64>().sqrt()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn inside(set: &dyn ConvexSet, rng: &mut Stream) -> Vec<f64> {
    let mut x: Vec<f64> = (0..5).map(|_| rng.random_range(-9.0..9.0)).collect();
    set.project(&mut x);
    x
}

const SETS: [&str; 4] = [
    "kind = 'box'\nlower = -2\nupper = 3",
    "kind = 'ball'\nradius = 2",
    "kind = 'simplex'",
    "each = [{ kind = 'ball', radius = 1 }, { kind = 'box', lower = 0, upper = 4 }, { kind = 'simplex' }]",
];

fn fresh(variance: f64, all: bool, published: bool) -> SignalMoments {
    SignalMoments { square: 1.0, bias: 0.0, noise: Perturbation::Fresh { variance, all, published } }
}

fn rule(name: &str) -> Box<dyn Weights> {
    weights::named(name).unwrap()
}

/// Random repeating graphs over three nodes; undirected ones for metropolis.
fn networks() -> impl Iterator<Item = (Cycle, &'static str)> {
    (0..40).map(|case| {
        let mut rng = stream(100 + case);
        let name = ["metropolis", "push-sum"][case as usize % 2];
        let period = rng.random_range(1..4);
        let graph = |_| {
            let pairs = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
            Graph::of(3, pairs.filter(|_| rng.random::<f64>() < 0.45).collect::<Vec<_>>())
        };
        let graphs: Vec<Graph> = (0..period).map(graph).collect();
        let keep = |graph: Graph| if name == "push-sum" { graph } else { graph.undirected() };
        (Cycle::new(graphs.into_iter().map(keep).collect()).unwrap(), name)
    })
}
