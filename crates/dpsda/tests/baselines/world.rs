//! A small world for decomposable problems: given samples, graphs and noise.

use std::sync::Arc;

use dpsda::catalog::Listing;
use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::fleet::Each;
use dpsda::learner::{ALGORITHMS, Algorithm, Build, Graphs, Message, Setup, Step, Style};
use dpsda::loss::Loss;
use dpsda::network::{Cycle, Graph, Topology, Transit, weights};
use dpsda::objective::Batch;
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::{Ideal, Noise};
use dpsda::privacy::plan::{Coverage, Extent};
use dpsda::privacy::{Mechanism, Plan, Price, Privacy};
use dpsda::rng::{Seed, Stream};
use dpsda::set::ConvexSet;
use dpsda::{Blocks, Fleet};
use rand::RngExt;

/// Noise that a test can draw again: uniform, its width the scale.
fn uniform() -> Mechanism {
    Mechanism::ideal("uniform", Norm::L1, |order| Uniform { scale: order.scale })
}

struct Uniform {
    scale: f64,
}

impl Ideal for Uniform {
    fn perturb(&mut self, value: &mut [f64], stream: &mut Stream) {
        value.iter_mut().for_each(|v| *v += self.scale * (stream.random::<f64>() - 0.5));
    }

    fn cost(&self, _moved: f64, _times: u64) -> Price {
        Price::Unbounded
    }
}

pub(crate) const SEED: Seed = Seed::new(11).trial(3);

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

/// Sees the round, all nodes and what was said.
type Look<'a> = dyn FnMut(usize, &Each, &[Arc<Message>]) + 'a;

/// The baselines with samples of their own.
pub(crate) fn split() -> impl Iterator<Item = &'static Listing<Build>> {
    ALGORITHMS.iter().filter(|a| a.build.facts.style.splits_costs())
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

    /// The graphs that such an algorithm runs on.
    fn topology(&self, graphs: Graphs) -> Cycle {
        let of = |links: &[(usize, usize)]| {
            let graph = Graph::of(self.nodes, links.iter().copied());
            if graphs == Graphs::Undirected { graph.undirected() } else { graph }
        };
        match graphs {
            Graphs::Union => Cycle::fixed(of(&self.graphs.concat())),
            _ => Cycle::new(self.graphs.iter().map(|links| of(links)).collect()).unwrap(),
        }
    }

    pub(crate) fn plan(&self) -> Plan {
        let mechanism = if self.level.is_finite() { uniform() } else { Mechanism::none() };
        let asked = Privacy::level(self.level).mechanism(mechanism).coverage(Coverage::Sent);
        let blocks = Blocks::even(self.dim(), self.nodes).unwrap();
        let (rounds, batch) = (self.rounds as u64, self.batch as u64);
        let plan = Plan::new(asked, &Extent { style: Style::Model, blocks: &blocks, rounds, batch }).unwrap();
        assert!(self.level.is_finite() || matches!(plan.noise(0), Noise::Nothing));
        plan
    }

    pub(crate) fn fleet(&self, name: &str) -> Each {
        let algorithm = Algorithm::named(name).unwrap();
        let (blocks, plan) = (Arc::new(Blocks::even(self.dim(), self.nodes).unwrap()), Arc::new(self.plan()));
        let learner = |node| {
            let (blocks, plan) = (Arc::clone(&blocks), Arc::clone(&plan));
            let mut setup = Setup::new(node, blocks, Arc::clone(&self.set), plan, SEED).unwrap();
            setup.step = Step::decaying(self.step);
            let mixes = algorithm.facts().mixes;
            setup.weights = mixes.map(|mixes| weights::named(mixes.default_rule()).unwrap().into());
            algorithm.learner(setup)
        };
        let learners = (0..self.nodes).map(learner).collect();
        let topology: Arc<dyn Topology> = Arc::new(self.topology(algorithm.facts().graphs));
        Each::of(learners, algorithm.style(), blocks, plan, Some((topology, Transit::prompt()))).unwrap()
    }

    /// `x_i(t)` of every round and node, and after the last round.
    pub(crate) fn run(&self, name: &str) -> Vec<Vec<Vec<f64>>> {
        let mut seen = Vec::new();
        let last = self.drive(name, &mut |_, fleet, _| seen.push(fleet.models()));
        seen.push(last.models());
        seen
    }

    /// Shows every round before it is learned from, and what was said in the round before.
    pub(crate) fn drive(&self, name: &str, look: &mut Look<'_>) -> Each {
        let (samples, mut fleet, mut messages) = (self.samples(), self.fleet(name), Vec::new());
        for t in 0..self.rounds {
            look(t, &fleet, &messages);
            let rows = self.rows(t);
            fleet.learn(t as u64, &Batch { samples: &samples, rows: &rows, loss: &*self.loss }).unwrap();
            let said = fleet.speak(t as u64);
            fleet.deliver(&said);
            messages = said.messages;
        }
        fleet
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
