//! A small world for learners: given data, graphs and noise.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::fleet::Each;
use dpsda::learner::{Algorithm, Graphs, Learner, Message, Setup, Step, Style};
use dpsda::loss::Loss;
use dpsda::network::{Cycle, Graph, Topology, Transit, weights};
use dpsda::objective::Batch;
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::Ideal;
use dpsda::privacy::plan::{Coverage, Decide, Extent};
use dpsda::privacy::{Mechanism, Plan, Price, Privacy};
use dpsda::rng::{Seed, Stream};
use dpsda::set::ConvexSet;
use dpsda::{Blocks, Fleet};

thread_local! {
    /// The noise that [`replay`] will use, node by node, in the order of its calls.
    static TAPE: RefCell<Vec<VecDeque<f64>>> = const { RefCell::new(Vec::new()) };
}

/// Noise that was written down instead of drawn.
fn replay() -> Mechanism {
    Mechanism::ideal("replay", Norm::L1, |order| Replay { node: order.node })
}

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

    fn cost(&self, _moved: f64, _times: u64) -> Price {
        Price::Unbounded
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
    pub(crate) coverage: Coverage,
    /// `eta[t][i]`, in `d` coordinates.
    pub(crate) eta: Vec<Vec<Vec<f64>>>,
}

/// What an observer sees of a run: per round, decisions, estimates and messages.
pub(crate) struct Seen {
    pub(crate) x: Vec<Vec<f64>>,
    pub(crate) y: Vec<Vec<Vec<f64>>>,
    pub(crate) said: Vec<Vec<Arc<Message>>>,
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
        match self.coverage {
            Coverage::All if name != "dpsda-r" && name != "dpcda" => {
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

    fn plan(&self, style: Style) -> Arc<Plan> {
        let asked = Privacy::level(1.0).mechanism(replay()).coverage(self.coverage).decide(self.decide);
        let (rounds, batch) = (self.rounds as u64, self.batch as u64);
        let extent = Extent { style, blocks: &self.blocks, rounds, batch };
        Arc::new(Plan::new(asked, &extent).expect("a plan"))
    }

    fn stepping(&self, algorithm: &Algorithm, plan: &Arc<Plan>, step: Step) -> Vec<Box<dyn Learner>> {
        let mixes = algorithm.facts().mixes;
        let one = |node| {
            let (blocks, set) = (Arc::new(self.blocks.clone()), Arc::clone(&self.set));
            let mut setup =
                Setup::new(node, blocks, set, Arc::clone(plan), Seed::default()).expect("a setup");
            setup.step = step;
            setup.weights = mixes.map(|_| weights::named(self.weights).expect("a weight rule").into());
            algorithm.learner(setup)
        };
        (0..algorithm.style().learners(self.blocks.nodes())).map(one).collect()
    }

    /// Learners that a test drives by hand, and the plan that it seals costs for.
    pub(crate) fn learners(&self, name: &str) -> (Vec<Box<dyn Learner>>, Arc<Plan>) {
        self.wind(name);
        let algorithm = Algorithm::named(name).expect("an algorithm");
        let plan = self.plan(algorithm.style());
        (self.stepping(&algorithm, &plan, Step::decaying(1.0)), plan)
    }

    /// All nodes and their network.
    pub(crate) fn fleet(&self, name: &str, step: Step) -> Each {
        self.wind(name);
        let algorithm = Algorithm::named(name).expect("an algorithm");
        let undirected = algorithm.facts().graphs == Graphs::Undirected;
        let graphs = (0..self.graphs.len()).map(|t| self.graph(t, undirected)).collect();
        let topology: Arc<dyn Topology> = Arc::new(Cycle::new(graphs).expect("graphs"));
        let network = (!algorithm.style().is_central()).then(|| (topology, Transit::prompt()));
        let plan = self.plan(algorithm.style());
        let learners = self.stepping(&algorithm, &plan, step);
        Each::of(learners, algorithm.style(), Arc::new(self.blocks.clone()), plan, network).expect("a fleet")
    }

    pub(crate) fn run(&self, name: &str) -> Seen {
        self.run_with(name, Step::decaying(1.0))
    }

    pub(crate) fn run_with(&self, name: &str, step: Step) -> Seen {
        let mut fleet = self.fleet(name, step);
        let mut seen = Seen { x: Vec::new(), y: Vec::new(), said: Vec::new() };
        for t in 0..self.rounds {
            seen.x.push(fleet.decision());
            seen.y.push((0..fleet.learners()).map(|i| fleet.estimate(i).to_vec()).collect());
            fleet.learn(t as u64, &self.cost(&self.rows(t))).expect("a cost that fits");
            let said = fleet.speak(t as u64);
            fleet.deliver(&said);
            seen.said.push(said.messages);
        }
        seen
    }
}

/// The largest difference of two trajectories.
pub(crate) fn distance(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.concat().iter().zip(b.concat()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
