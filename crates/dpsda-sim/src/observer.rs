//! What is measured in every round, after the decision is committed and its cost revealed.

use dpsda::learner::{Costs, Learner};
use dpsda::objective::{Batch, Objective};
use dpsda::set::ConvexSet;

/// One round, as an observer sees it.
pub struct Round<'a> {
    /// The round.
    pub t: u64,
    /// `x(t)`, assembled from the nodes' blocks; in a decomposable problem every node's model.
    pub models: &'a [Vec<f64>],
    /// `f_t` of each of them.
    pub costs: &'a [f64],
    /// The running means `x~(t)` of (19), `x(t)` included, one per model.
    pub averaged: &'a [Vec<f64>],
    /// `f_t`
    pub f: &'a Batch<'a>,
    /// The nodes, before they learn.
    pub learners: &'a [Box<dyn Learner>],
}

/// Something measured along a run; its value so far goes into `series.csv` under its name.
pub trait Observer: Send {
    /// The column.
    fn name(&self) -> &'static str;

    /// Sees a round.
    fn round(&mut self, round: &Round<'_>);

    /// Sees the nodes when they have learned and exchanged, at the end of the round.
    fn settled(&mut self, _learners: &[Box<dyn Learner>]) {}

    /// The value over the rounds seen.
    fn so_far(&self) -> f64;
}

/// The observers of every run of these learners.
pub fn usual<'a>(
    set: &'a dyn ConvexSet,
    classifies: bool,
    costs: Costs,
    learners: &[Box<dyn Learner>],
) -> Vec<Box<dyn Observer + 'a>> {
    let mut observers = online(classifies);
    observers.extend::<[Box<dyn Observer + 'a>; 2]>([
        Box::new(Mean::new("averaged_fitness", |r: &Round<'_>| mean(r.averaged, |x| r.f.value(x)))),
        Box::new(Largest {
            name: "violation",
            of: move |r: &Round<'_>| r.models.iter().map(|x| violation(set, x)).fold(0.0, f64::max),
            so_far: 0.0,
        }),
    ]);
    if costs == Costs::Split {
        observers.push(Box::new(WorstNode { sums: vec![0.0; learners.len()], rounds: 0 }));
    }
    if learners.len() > 1 {
        observers.push(Box::new(Mean::new("disagreement", |r: &Round<'_>| disagreement(r.learners))));
    }
    if learners.iter().any(|l| l.staleness(0).is_some()) {
        let oldest =
            |r: &Round<'_>| r.learners.iter().filter_map(|l| l.staleness(r.t)).max().unwrap_or(0) as f64;
        observers.push(Box::new(Largest { name: "staleness", of: oldest, so_far: 0.0 }));
    }
    observers
}

/// What can be said of decisions while they are made: their mean cost and, where that is one, their accuracy.
pub fn online<'a>(classifies: bool) -> Vec<Box<dyn Observer + 'a>> {
    let mut observers: Vec<Box<dyn Observer + 'a>> =
        vec![Box::new(Mean::new("fitness", |r: &Round<'_>| mean(r.costs, |cost| *cost)))];
    if classifies {
        let progressive = |r: &Round<'_>| mean(r.models, |x| hits(r.f, x));
        observers.push(Box::new(Mean::new("accuracy_progressive", progressive)));
    }
    observers
}

struct Mean<F> {
    name: &'static str,
    of: F,
    sum: f64,
    rounds: u64,
}

impl<F> Mean<F> {
    fn new(name: &'static str, of: F) -> Self {
        Self { name, of, sum: 0.0, rounds: 0 }
    }
}

impl<F: Fn(&Round<'_>) -> f64 + Send> Observer for Mean<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn round(&mut self, round: &Round<'_>) {
        self.sum += (self.of)(round);
        self.rounds += 1;
    }

    fn so_far(&self) -> f64 {
        self.sum / self.rounds as f64
    }
}

struct Largest<F> {
    name: &'static str,
    of: F,
    so_far: f64,
}

impl<F: Fn(&Round<'_>) -> f64 + Send> Observer for Largest<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn round(&mut self, round: &Round<'_>) {
        self.so_far = self.so_far.max((self.of)(round));
    }

    fn so_far(&self) -> f64 {
        self.so_far
    }
}

/// The average cost of the node that had the largest.
struct WorstNode {
    sums: Vec<f64>,
    rounds: u64,
}

impl Observer for WorstNode {
    fn name(&self) -> &'static str {
        "fitness_worst_node"
    }

    fn round(&mut self, round: &Round<'_>) {
        self.sums.iter_mut().zip(round.costs).for_each(|(sum, cost)| *sum += cost);
        self.rounds += 1;
    }

    fn so_far(&self) -> f64 {
        // A cost that left the numbers is the worst, and stays.
        let worst = |a: f64, b: &f64| if a >= *b || a.is_nan() { a } else { *b };
        self.sums.iter().fold(f64::NEG_INFINITY, worst) / self.rounds as f64
    }
}

/// The mean over models.
fn mean<T>(of: &[T], value: impl Fn(&T) -> f64) -> f64 {
    of.iter().map(value).sum::<f64>() / of.len() as f64
}

/// How far outside the set; what rounding can do is not outside.
fn violation(set: &dyn ConvexSet, x: &[f64]) -> f64 {
    let mut nearest = x.to_vec();
    set.project(&mut nearest);
    let away = distance(x, &nearest);
    let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if away <= 1e-14 * (1.0 + size) { 0.0 } else { away }
}

/// The share of the batch that `x(t)` predicts rightly before it is learned from.
fn hits(f: &Batch<'_>, x: &[f64]) -> f64 {
    let samples = f.samples;
    let right = |row: &&usize| {
        let s = samples.features.dot(**row, x);
        (s > 0.0) == (samples.labels[**row] > 0.0)
    };
    f.rows.iter().filter(right).count() as f64 / f.rows.len() as f64
}

/// `max_i |y_i - mean_j y_j|`, exactly 0 where all agree: the mean is taken from the first on.
fn disagreement(learners: &[Box<dyn Learner>]) -> f64 {
    let Some(first) = learners.first().map(|l| l.estimate()) else { return 0.0 };
    let mut mean = first.to_vec();
    for learner in learners {
        let away = learner.estimate().iter().zip(first).map(|(y, first)| (y - first) / learners.len() as f64);
        mean.iter_mut().zip(away).for_each(|(m, away)| *m += away);
    }
    learners.iter().map(|l| distance(l.estimate(), &mean)).fold(0.0, f64::max)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
