//! One trial of one cell: the corridor, round by round.

use std::ops::ControlFlow;

use dpsda::experiment::Cell;
use dpsda::fleet::View;
use dpsda::learner::{Costs, Learner};
use dpsda::metric::{Curves, Observers, Round};
use dpsda::network::Graph;
use dpsda::objective::{Batch, Objective, deal};
use dpsda::privacy::{Ledger, Spent};
use dpsda::rng::Seed;

use crate::data::Draw;
use crate::delivery::Delivery;

/// The learners of a cell for one trial: one per node, or one that sees everything.
pub fn learners(cell: &Cell, seed: Seed) -> Vec<Box<dyn Learner>> {
    let count = if cell.network.is_some() { cell.blocks.nodes() } else { 1 };
    (0..count).map(|node| cell.learner(node, seed, None)).collect()
}

/// The learners of a trial, as observers see them.
pub struct Nodes<'a> {
    /// The learners.
    pub learners: &'a [Box<dyn Learner>],
    /// Whose costs they see.
    pub costs: Costs,
}

impl View for Nodes<'_> {
    fn len(&self) -> usize {
        self.learners.len()
    }

    fn own_models(&self) -> bool {
        self.costs == Costs::Split
    }

    fn estimate(&self, i: usize) -> &[f64] {
        self.learners[i].estimate()
    }

    fn dual(&self, i: usize) -> Option<(Vec<f64>, f64)> {
        self.learners[i].dual()
    }

    fn staleness(&self, i: usize, t: u64) -> Option<u64> {
        self.learners[i].staleness(t)
    }

    fn ledger(&self, i: usize) -> &Ledger {
        self.learners[i].ledger()
    }
}

/// What a trial leaves behind.
pub struct Trial {
    /// What was observed along it.
    pub curves: Curves,
    /// `x(0), x(1), ...`, if recorded; where every node has a model, their mean.
    pub decisions: Vec<Vec<f64>>,
    /// `x(T)`: the decision after the last round, one per model.
    pub last: Vec<Vec<f64>>,
    /// The mean of `x(0..T-1)`, one per model.
    pub averaged: Vec<Vec<f64>>,
    /// What the ledgers of all nodes hold at the end, if it bounds anything.
    pub spent: Option<Spent>,
}

/// Runs these learners for a trial of `rounds` rounds. `keep` says after how many rounds the observers are read; `tick` is called once a
/// round and may break off, which gives `None`.
pub fn run(
    cell: &Cell,
    rounds: u64,
    draw: &Draw,
    mut learners: Vec<Box<dyn Learner>>,
    mut observers: Observers<'_>,
    keep: &[u64],
    tick: &dyn Fn() -> ControlFlow<()>,
) -> Option<Trial> {
    let mut trial = Trial {
        curves: Curves::default(),
        decisions: Vec::new(),
        last: Vec::new(),
        averaged: models(cell, &learners).iter().map(|x| vec![0.0; x.len()]).collect(),
        spent: None,
    };
    let costs = cell.algorithm.build.costs;
    let transit = cell.network.as_ref().map(|net| net.transit.clone());
    let mut delivery = Delivery::new(transit.unwrap_or_default());
    for (t, rows) in (0..rounds).zip(draw.train.chunks_exact(cell.problem.batch)) {
        let graph = cell.network.as_ref().map_or_else(|| Graph::empty(1), |net| net.topology.graph(t));
        let models = models(cell, &learners); // committed
        let f = Batch { samples: &draw.samples, rows, loss: &*cell.problem.loss }; // revealed (1)
        for (mean, x) in trial.averaged.iter_mut().zip(&models) {
            mean.iter_mut().zip(x).for_each(|(mean, x)| *mean += (x - *mean) / (t + 1) as f64);
        }
        let values: Vec<f64> = models.iter().map(|x| f.value(x)).collect();
        let round = Round {
            t,
            models: &models,
            costs: &values,
            averaged: &trial.averaged,
            f: &f,
            set: &*cell.set,
            fleet: &Nodes { learners: &learners, costs },
        };
        observers.round(&round);
        learn(costs, &mut learners, t, f);
        delivery.exchange(&mut learners, &graph, t);
        observers.settled(&Nodes { learners: &learners, costs });
        if keep.binary_search(&(t + 1)).is_ok() {
            observers.keep(t + 1);
        }
        if cell.record_decisions {
            trial.decisions.push(mean_model(models));
        }
        if tick().is_break() {
            return None;
        }
    }
    trial.last = models(cell, &learners);
    trial.curves = observers.into_curves();
    trial.spent = Spent::of(learners.iter().map(|l| l.ledger()));
    Some(trial)
}

/// What is decided: one `x(t)`, every node's own block of its own estimate; in a decomposable problem a model a node.
fn models(cell: &Cell, learners: &[Box<dyn Learner>]) -> Vec<Vec<f64>> {
    match (cell.algorithm.build.costs, learners) {
        (Costs::Split, nodes) => nodes.iter().map(|l| l.estimate().to_vec()).collect(),
        (Costs::Shared, [central]) => vec![central.estimate().to_vec()],
        (Costs::Shared, nodes) => {
            let blocks = nodes.iter().zip(cell.blocks.iter());
            vec![blocks.flat_map(|(l, b)| l.estimate()[b].to_vec()).collect()]
        }
    }
}

/// What is recorded as the decision of a round: the only model, or the mean of the nodes'.
fn mean_model(models: Vec<Vec<f64>>) -> Vec<f64> {
    let count = models.len() as f64;
    let sum = models.into_iter().reduce(|mut sum, x| {
        sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
        sum
    });
    sum.into_iter().flatten().map(|sum| sum / count).collect()
}

/// All learn from the cost of the round, or each from the part of it that its own samples are.
fn learn(costs: Costs, learners: &mut [Box<dyn Learner>], t: u64, f: Batch<'_>) {
    match costs {
        Costs::Shared => learners.iter_mut().for_each(|l| l.learn(t, &f)),
        Costs::Split => {
            let shares = deal(f, learners.len());
            learners.iter_mut().zip(shares).for_each(|(l, share)| l.learn(t, &share));
        }
    }
}
