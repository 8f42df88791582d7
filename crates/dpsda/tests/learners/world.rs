//! A small world for learners: given data, graphs and noise.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use dpsda::Blocks;
use dpsda::catalog::{Listing, find};
use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::learner::{ALGORITHMS, Graphs, Learner, Links, Message, Setup, Step};
use dpsda::loss::Loss;
use dpsda::network::Graph;
use dpsda::network::weights;
use dpsda::objective::Batch;
use dpsda::objective::two_point::Feedback;
use dpsda::privacy::Cost;
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::{Build, Ideal, Kind, Spec};
use dpsda::privacy::plan::{Decide, Noise, Plan, Shape, Wish};
use dpsda::rng::{Seed, Stream};
use dpsda::set::ConvexSet;

thread_local! {
    /// The noise that `REPLAY` will use, node by node, in the order of its calls.
    static TAPE: RefCell<Vec<VecDeque<f64>>> = const { RefCell::new(Vec::new()) };
}

/// Noise that was written down instead of drawn.
pub(crate) static REPLAY: Listing<Kind> = Listing {
    name: "replay",
    about: "noise from a tape",
    keys: &[],
    build: Kind {
        norm: Norm::L1,
        correlated: false,
        build: Build::Ideal(|Spec { node, .. }| Box::new(Replay { node })),
    },
};

struct Replay {
    node: usize,
}

impl Ideal for Replay {
    fn perturb(&mut self, value: &mut [f64], _stream: &mut Stream) {
        TAPE.with_borrow_mut(|tape| {
            if let Some(tape) = tape.get_mut(self.node) {
                value.iter_mut().for_each(|v| *v += tape.pop_front().unwrap_or(0.0));
            }
        });
    }

    fn cost(&self, _moved: f64, _times: u64) -> Cost {
        Cost::Unbounded
    }
}

/// Everything that is given.
pub(crate) struct World {
    pub(crate) blocks: Blocks,
    pub(crate) set: Arc<dyn ConvexSet>,
    pub(crate) loss: Box<dyn Loss>,
    /// Links of round `t`: `graphs[t mod len]`.
    pub(crate) graphs: Vec<Vec<(usize, usize)>>,
    pub(crate) samples: Samples,
    pub(crate) batch: usize,
    pub(crate) rounds: usize,
    pub(crate) weights: &'static str,
    pub(crate) decide: Decide,
    pub(crate) noise: Noise,
    /// `eta[t][i]`, in `d` coordinates.
    pub(crate) eta: Vec<Vec<Vec<f64>>>,
}

/// What a run shows to whoever looks: per round, decisions, estimates and messages.
pub(crate) struct Seen {
    pub(crate) x: Vec<Vec<f64>>,
    pub(crate) y: Vec<Vec<Vec<f64>>>,
    pub(crate) said: Vec<Vec<Message>>,
}

impl World {
    pub(crate) fn samples(a: &[Vec<f64>], b: Vec<f64>) -> Samples {
        let features = Dense::new(a.concat(), a[0].len()).expect("a matrix");
        Samples { features: Box::new(features), labels: b }
    }

    pub(crate) fn cost<'a>(&'a self, rows: &'a [usize]) -> Batch<'a> {
        Batch { samples: &self.samples, rows, loss: &*self.loss }
    }

    pub(crate) fn rows(&self, t: usize) -> Vec<usize> {
        (t * self.batch..(t + 1) * self.batch).collect()
    }

    pub(crate) fn graph(&self, t: usize, undirected: bool) -> Graph {
        let graph = Graph::of(self.blocks.nodes(), self.graphs[t % self.graphs.len()].iter().copied());
        if undirected { graph.undirected() } else { graph }
    }

    fn parts(&self, i: usize, name: &str) -> Vec<Range<usize>> {
        let own = self.blocks.range(i);
        match self.noise {
            Noise::All if name != "dpsda-r" && name != "dpcda" => {
                vec![own.clone(), 0..own.start, own.end..self.blocks.dim()]
            }
            _ => vec![own],
        }
    }

    /// Puts the noise where the learners will find it.
    pub(crate) fn wind(&self, name: &str) {
        let tape = |i: usize| {
            let all = self
                .eta
                .iter()
                .flat_map(|eta| self.parts(i, name).into_iter().flat_map(|part| eta[i][part].to_vec()));
            all.collect()
        };
        TAPE.set((0..self.blocks.nodes()).map(tape).collect());
    }

    pub(crate) fn learners(&self, name: &str) -> Vec<Box<dyn Learner>> {
        self.stepping(name, Step::decaying(1.0))
    }

    fn stepping(&self, name: &str, step: Step) -> Vec<Box<dyn Learner>> {
        let algorithm = find(ALGORITHMS, "algorithm.name", name).expect("an algorithm");
        let wish = Wish { noise: self.noise, decide: self.decide, ..Wish::level(&REPLAY, 1.0) };
        let (averages, rounds, batch) = (algorithm.build.averages, self.rounds as u64, self.batch as u64);
        let plan = Plan::new(wish, &Shape { averages, blocks: &self.blocks, rounds, batch }).expect("a plan");
        let weights =
            algorithm.build.mixes.map(|_| weights::named(self.weights).expect("a weight rule").into());
        let setup = Setup {
            node: 0,
            blocks: Arc::new(self.blocks.clone()),
            set: Arc::clone(&self.set),
            step,
            weights,
            plan: Arc::new(plan),
            links: Links::Naive,
            feedback: Feedback::Gradient,
            gradient_error: 0.0,
            seed: Seed::default(),
            key: None,
        };
        let count = if algorithm.build.network == Graphs::None { 1 } else { self.blocks.nodes() };
        (0..count).map(|node| (algorithm.build.build)(Setup { node, ..setup.clone() })).collect()
    }

    pub(crate) fn run(&self, name: &str) -> Seen {
        self.run_with(name, Step::decaying(1.0))
    }

    pub(crate) fn run_with(&self, name: &str, step: Step) -> Seen {
        self.wind(name);
        let algorithm = find(ALGORITHMS, "algorithm.name", name).expect("an algorithm");
        let undirected = algorithm.build.network == Graphs::Undirected;
        let mut learners = self.stepping(name, step);
        let mut seen = Seen { x: Vec::new(), y: Vec::new(), said: Vec::new() };
        for t in 0..self.rounds {
            let graph = if learners.len() == 1 { Graph::empty(1) } else { self.graph(t, undirected) };
            let y: Vec<_> = learners.iter().map(|l| l.estimate().to_vec()).collect();
            seen.x.push(match &y[..] {
                [all] => all.clone(),
                nodes => self.blocks.iter().zip(nodes).flat_map(|(block, y)| y[block].to_vec()).collect(),
            });
            seen.y.push(y);
            let rows = self.rows(t);
            let f = self.cost(&rows);
            learners.iter_mut().for_each(|l| l.learn(t as u64, &f));
            let said: Vec<_> = learners.iter_mut().zip(graph.degrees()).map(|(l, d)| l.speak(d)).collect();
            for (i, learner) in learners.iter_mut().enumerate() {
                let inbox: Vec<_> =
                    graph.links().filter(|(_, to)| *to == i).map(|(from, _)| &said[from]).collect();
                learner.listen(t as u64, &inbox);
            }
            seen.said.push(said);
        }
        seen
    }
}

/// The largest difference of two trajectories.
pub(crate) fn distance(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.concat().iter().zip(b.concat()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
