//! A small world for decomposable problems: given samples, graphs and noise.

use std::sync::Arc;

use dpsda::Blocks;
use dpsda::catalog::{Listing, find};
use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::learner::{ALGORITHMS, Algorithm, Costs, Graphs, Learner, Links, Message, Setup, Step};
use dpsda::loss::Loss;
use dpsda::network::Graph;
use dpsda::network::weights;
use dpsda::objective::{Batch, deal};
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::{Build, Ideal, Kind, MECHANISMS};
use dpsda::privacy::plan::{Noise, Plan, Shape, Wish};
use dpsda::privacy::{Cost, Mechanism};
use dpsda::rng::{Seed, Stream};
use dpsda::set::ConvexSet;
use rand::RngExt;

/// Noise that a test can draw again: uniform, its width the scale.
pub(crate) static UNIFORM: Listing<Kind> = Listing {
    name: "uniform",
    about: "uniform noise",
    keys: &[],
    build: Kind {
        norm: Norm::L1,
        correlated: false,
        build: Build::Ideal(|spec| Box::new(Uniform { scale: spec.scale })),
    },
};

struct Uniform {
    scale: f64,
}

impl Ideal for Uniform {
    fn perturb(&mut self, value: &mut [f64], stream: &mut Stream) {
        value.iter_mut().for_each(|v| *v += self.scale * (stream.random::<f64>() - 0.5));
    }

    fn cost(&self, _moved: f64, _times: u64) -> Cost {
        Cost::Unbounded
    }
}

pub(crate) const SEED: Seed = Seed { seed: 11, trial: 3 };

/// Everything that is given. Row `r` of the data is `a[r]`, `b[r]`; round `t` has the rows `t batch .. (t+1) batch`, and where
/// there are no more the first ones again.
pub(crate) struct World {
    pub(crate) nodes: usize,
    pub(crate) set: Arc<dyn ConvexSet>,
    pub(crate) loss: Box<dyn Loss>,
    pub(crate) a: Vec<Vec<f64>>,
    pub(crate) b: Vec<f64>,
    pub(crate) batch: usize,
    pub(crate) rounds: usize,
    /// Links of round `t`: `graphs[t mod len]`.
    pub(crate) graphs: Vec<Vec<(usize, usize)>>,
    pub(crate) step: f64,
    /// Infinite: no noise.
    pub(crate) level: f64,
}

/// Sees the round, the learners and what was said.
type Look<'a> = dyn FnMut(usize, &[Box<dyn Learner>], &[Message]) + 'a;

/// The baselines with samples of their own.
pub(crate) fn split() -> impl Iterator<Item = &'static Listing<Algorithm>> {
    ALGORITHMS.iter().filter(|a| a.build.costs == Costs::Split)
}

impl World {
    pub(crate) fn dim(&self) -> usize {
        self.a[0].len()
    }

    pub(crate) fn samples(&self) -> Samples {
        let features = Dense::new(self.a.concat(), self.dim()).unwrap();
        Samples { features: Box::new(features), labels: self.b.clone() }
    }

    pub(crate) fn rows(&self, t: usize) -> Vec<usize> {
        (t * self.batch..(t + 1) * self.batch).map(|r| r % self.a.len()).collect()
    }

    /// The graph that this algorithm runs on in round `t`.
    pub(crate) fn graph(&self, algorithm: &Algorithm, t: usize) -> Graph {
        let links = match algorithm.network {
            Graphs::Union => self.graphs.concat(),
            _ => self.graphs[t % self.graphs.len()].clone(),
        };
        let graph = Graph::of(self.nodes, links);
        if algorithm.network == Graphs::Undirected { graph.undirected() } else { graph }
    }

    pub(crate) fn plan(&self) -> Plan {
        let mechanism = if self.level.is_finite() { &UNIFORM } else { &MECHANISMS[0] };
        let wish = Wish { noise: Noise::Sent, ..Wish::level(mechanism, self.level) };
        let blocks = Blocks::even(self.dim(), self.nodes).unwrap();
        let shape =
            Shape { averages: false, blocks: &blocks, rounds: self.rounds as u64, batch: self.batch as u64 };
        let plan = Plan::new(wish, &shape).unwrap();
        assert!(self.level.is_finite() || matches!(plan.mechanism(0), Mechanism::Nothing));
        plan
    }

    pub(crate) fn learners(&self, name: &str) -> Vec<Box<dyn Learner>> {
        let algorithm = find(ALGORITHMS, "algorithm.name", name).unwrap();
        let rule = algorithm.build.mixes.map(|mixes| weights::named(mixes.default_rule()).unwrap());
        let setup = Setup {
            node: 0,
            blocks: Arc::new(Blocks::even(self.dim(), self.nodes).unwrap()),
            set: Arc::clone(&self.set),
            step: Step::decaying(self.step),
            weights: rule.map(Into::into),
            plan: Arc::new(self.plan()),
            gradient_error: 0.0,
            feedback: dpsda::objective::two_point::Feedback::Gradient,
            links: Links::Naive,
            seed: SEED,
            key: None,
        };
        (0..self.nodes).map(|node| (algorithm.build.build)(Setup { node, ..setup.clone() })).collect()
    }

    /// `x_i(t)` of every round and node, and after the last round.
    pub(crate) fn run(&self, name: &str) -> Vec<Vec<Vec<f64>>> {
        let mut seen = Vec::new();
        let models = |learners: &[Box<dyn Learner>]| learners.iter().map(|l| l.estimate().to_vec()).collect();
        let last = self.drive(name, &mut |_, learners, _| seen.push(models(learners)));
        seen.push(models(&last));
        seen
    }

    /// Shows every round before it is learned from, and what was said in the round before.
    pub(crate) fn drive(&self, name: &str, look: &mut Look<'_>) -> Vec<Box<dyn Learner>> {
        let algorithm = &find(ALGORITHMS, "algorithm.name", name).unwrap().build;
        let (samples, mut learners, mut said) = (self.samples(), self.learners(name), Vec::new());
        for t in 0..self.rounds {
            look(t, &learners, &said);
            let rows = self.rows(t);
            let f = Batch { samples: &samples, rows: &rows, loss: &*self.loss };
            learners.iter_mut().zip(deal(f, self.nodes)).for_each(|(l, share)| l.learn(t as u64, &share));
            let graph = self.graph(algorithm, t);
            said = learners.iter_mut().zip(graph.degrees()).map(|(l, degree)| l.speak(degree)).collect();
            for (i, learner) in learners.iter_mut().enumerate() {
                let inbox: Vec<&Message> =
                    graph.links().filter(|(_, to)| *to == i).map(|(from, _)| &said[from]).collect();
                learner.listen(t as u64, &inbox);
            }
        }
        learners
    }
}

/// The largest difference of two trajectories, and beyond 1 relative to what is compared.
pub(crate) fn distance(a: &[Vec<Vec<f64>>], b: &[Vec<Vec<f64>>]) -> f64 {
    let all = |m: &[Vec<Vec<f64>>]| m.iter().flatten().flatten().copied().collect::<Vec<f64>>();
    let (a, b) = (all(a), all(b));
    assert_eq!(a.len(), b.len());
    assert!(a.iter().chain(&b).all(|x| x.is_finite()), "it left the numbers");
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / (1.0 + a.abs())).fold(0.0, f64::max)
}
