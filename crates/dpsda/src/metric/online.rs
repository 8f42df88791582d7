//! Metrics that are computed in every round, after the decision is committed and its cost revealed.

use crate::fleet::Fleet;
use crate::objective::Objective;
use crate::set::ConvexSet;

/// What is known before the first round. A metric decides from it whether it applies.
///
/// ```
/// use dpsda::metric::{Metric, Observers, Start};
/// use dpsda::prelude::*;
/// // A metric that is observed in fleets of more than two nodes only.
/// let many = Metric::mean(|round| round.costs[0]).when(|start| start.fleet.learners() > 2).named("many", "Cost.");
/// let observed = |nodes: usize| {
///     let spec = Spec::new(Blocks::even(4, nodes)?).set(Free).graph(Ring::new(nodes)?).algorithm(Relay).rounds(1);
///     let fleet = spec.fleet(Seed::new(1))?;
///     let observers = Observers::new([&many], &Start { classifies: false, measures: &[], fleet: &*fleet });
///     Ok::<_, Error>(observers.so_far(&many).is_some())
/// };
/// assert!(observed(4)? && !observed(2)?);
/// # Ok::<(), Error>(())
/// ```
pub struct Start<'a> {
    /// Whether costs are losses of a classifier, so that there are accuracies.
    pub classifies: bool,
    /// The names of what the costs [measure](Objective::measure).
    pub measures: &'a [&'static str],
    /// The nodes.
    pub fleet: &'a dyn Fleet,
}

/// One round, as an observer sees it.
///
/// ```
/// use dpsda::metric::{Metric, Observers, Start};
/// use dpsda::prelude::*;
/// # let spec = Spec::new(Blocks::even(2, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).rounds(5);
/// # let mut fleet = spec.fleet(Seed::new(1))?;
/// # let cost = OwnCost::new(2, |x| -x.iter().sum::<f64>(), |_, g| g.fill(-1.0));
/// // How far the decision is from the start, and what one round cost beyond the average decision.
/// let far = Metric::largest(|round| round.mean(|x| x[0].hypot(x[1]))).named("far", "Largest length of x(t).");
/// let extra = Metric::mean(|round| round.costs[0] - round.f.value(&round.averaged[0])).named("extra", "Cost.");
/// let mut observers = Observers::new([&far, &extra], &Start { classifies: false, measures: &[], fleet: &*fleet });
/// for t in 0..5 {
///     let x = observers.reveal(t, &cost, &Free, &*fleet).swap_remove(0);
///     assert!(observers.so_far(&far) >= Some(x[0].hypot(x[1])));
///     fleet.round(t, &cost)?;
/// }
/// assert!(observers.so_far(&extra) < Some(0.0)); // the newest decision is the best
/// # Ok::<(), Error>(())
/// ```
pub struct Round<'a> {
    /// The round.
    pub t: u64,
    /// `x(t)`, assembled from the nodes' blocks. In a decomposable problem: the model of every node.
    pub models: &'a [Vec<f64>],
    /// `f_t` at each of the models.
    pub costs: &'a [f64],
    /// The running means `x~(t)` of (19), including `x(t)`, one per model.
    pub averaged: &'a [Vec<f64>],
    /// `f_t`
    pub f: &'a dyn Objective,
    /// The set of allowed decisions.
    pub set: &'a dyn ConvexSet,
    /// The nodes, before they learn.
    pub fleet: &'a dyn Fleet,
}

impl Round<'_> {
    /// The mean of `of(x)` over the models `x`.
    pub fn mean(&self, of: impl Fn(&[f64]) -> f64) -> f64 {
        self.models.iter().map(|x| of(x)).sum::<f64>() / self.models.len() as f64
    }
}

/// Watches every round of one trial, and keeps what it needs.
///
/// ```
/// use dpsda::metric::{Metric, Observer, Round};
///
/// /// The cost of the last round.
/// struct Newest(f64);
///
/// impl Observer for Newest {
///     fn round(&mut self, round: &Round<'_>) {
///         self.0 = round.costs.iter().copied().fold(f64::NAN, f64::max);
///     }
///
///     fn so_far(&self) -> f64 {
///         self.0
///     }
/// }
///
/// let metric = Metric::online(|_| Box::new(Newest(f64::NAN))).named("cost_newest", "Cost of the last round.");
/// assert!(!metric.is_fact());
/// ```
pub trait Observer: Send {
    /// Called in every round, when the cost is revealed and no node has learned from it yet.
    fn round(&mut self, round: &Round<'_>);

    /// Called at the end of every round, when nodes have learned and exchanged messages.
    fn settled(&mut self, _fleet: &dyn Fleet) {}

    /// The value over the rounds seen.
    fn so_far(&self) -> f64;
}

/// The mean over rounds.
pub(super) struct RunningMean<F> {
    of: F,
    sum: f64,
    rounds: u64,
}

impl<F> RunningMean<F> {
    pub(super) fn new(of: F) -> Self {
        Self { of, sum: 0.0, rounds: 0 }
    }
}

impl<F: Fn(&Round<'_>) -> f64 + Send> Observer for RunningMean<F> {
    fn round(&mut self, round: &Round<'_>) {
        self.sum += (self.of)(round);
        self.rounds += 1;
    }

    fn so_far(&self) -> f64 {
        self.sum / self.rounds as f64
    }
}

/// The largest value of all rounds, at least zero.
pub(super) struct Largest<F> {
    of: F,
    so_far: f64,
}

impl<F> Largest<F> {
    pub(super) fn new(of: F) -> Self {
        Self { of, so_far: 0.0 }
    }
}

impl<F: Fn(&Round<'_>) -> f64 + Send> Observer for Largest<F> {
    fn round(&mut self, round: &Round<'_>) {
        self.so_far = self.so_far.max((self.of)(round));
    }

    fn so_far(&self) -> f64 {
        self.so_far
    }
}
