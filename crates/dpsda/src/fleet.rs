//! All nodes, one round: decide, reveal, learn, exchange.

mod delivery;
mod dense;
mod each;
mod farthest;
mod fit;
mod history;
mod receipt;
mod repeated;
pub use dense::DenseFleet;
pub use each::{Each, Said};
pub use history::HistoryFleet;
pub use receipt::Receipt;

use std::borrow::Cow;
use std::ops::Range;

use self::farthest::farthest;
use crate::learner::Style;
use crate::objective::Objective;
use crate::privacy::{Ledger, Plan};
use crate::{Blocks, Error};

/// All nodes of a run. Observers see the nodes through the methods here and never get a learner.
///
/// # Panics
///
/// Methods that take a learner's number `i` panic if it is not below [`Fleet::learners`], as a slice does.
///
/// ```
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(21, 7)?).set(Cuboid::new(-5.0, 5.0)?).graph(PaperFig2).algorithm(Relay).rounds(30);
/// let mut fleet = spec.fleet(Seed::new(1))?;
/// let cost = OwnCost::new(21, |x| x.iter().map(|x| (x - 1.0).abs()).sum(), |x, g| {
///     g.iter_mut().zip(x).for_each(|(g, x)| *g = (x - 1.0).signum());
/// });
/// let first = cost.value(&fleet.decision());
/// for t in 0..30 {
///     fleet.round(t, &cost)?;
/// }
/// assert!(cost.value(&fleet.decision()) < first);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait Fleet: Send {
    /// The blocks, one per node.
    fn blocks(&self) -> &Blocks;

    /// Clip, noise and claim.
    fn plan(&self) -> &Plan;

    /// What kind of algorithm it runs.
    fn style(&self) -> Style;

    /// How many learners there are: one per node, or one that sees everything.
    fn learners(&self) -> usize;

    /// `y_i(t)`: all coordinates as learner `i` sees them.
    fn estimate(&self, i: usize) -> Cow<'_, [f64]>;

    /// The dual that learner `i` has decided from, and the weight that divides it, if the algorithm has a dual.
    fn dual(&self, i: usize) -> Option<(Vec<f64>, f64)>;

    /// The age, in rounds, of the oldest block that learner `i` uses for its decision of round `t`, if it keeps blocks apart.
    fn staleness(&self, i: usize, t: u64) -> Option<u64>;

    /// What learner `i` has spent.
    fn ledger(&self, i: usize) -> &Ledger;

    /// All learn from the cost of round `t`, or each from its own part of it. If the cost does not fit, this is an error and
    /// nobody has learned.
    fn learn(&mut self, t: u64, f: &dyn Objective) -> Result<(), Error>;

    /// All speak, then all listen: information moves at most one hop per round.
    fn exchange(&mut self, t: u64);

    /// A whole round after the decision: learn, exchange.
    fn round(&mut self, t: u64, f: &dyn Objective) -> Result<(), Error> {
        self.learn(t, f)?;
        self.exchange(t);
        Ok(())
    }

    /// The decisions: one `x(t)`, made of every node's own block of its own estimate. In a decomposable problem, one model per
    /// node.
    fn models(&self) -> Vec<Vec<f64>> {
        let all = 0..self.learners();
        match self.style() {
            Style::Model => all.map(|i| self.estimate(i).into_owned()).collect(),
            Style::Central => all.map(|i| self.estimate(i).into_owned()).collect(),
            Style::Relay | Style::Average => {
                vec![all.zip(self.blocks().iter()).flat_map(|(i, b)| self.estimate(i)[b].to_vec()).collect()]
            }
        }
    }

    /// `x(t)`, committed before its cost is seen. In a decomposable problem, the mean of the nodes' models.
    fn decision(&self) -> Vec<f64> {
        mean(self.models())
    }

    /// `max_i |y_i - mean_j y_j|`: how far the farthest learner is from the mean of all. It is exactly 0 if all agree.
    fn disagreement(&self) -> f64 {
        let write = |i, columns: Range<usize>, to: &mut [f64]| to.copy_from_slice(&self.estimate(i)[columns]);
        farthest(self.learners(), self.blocks().dim(), write)
    }

    /// What the ledgers of all nodes hold together.
    fn spent(&self) -> Receipt {
        Receipt::new(self.plan().spent((0..self.learners()).map(|i| self.ledger(i))), self.plan())
    }
}

/// `|a - b|`
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// The only model, or the mean of several.
pub fn mean(mut models: Vec<Vec<f64>>) -> Vec<f64> {
    if models.len() == 1 {
        return models.remove(0);
    }
    let count = models.len() as f64;
    let sum = models.into_iter().reduce(|mut sum, x| {
        sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
        sum
    });
    sum.into_iter().flatten().map(|sum| sum / count).collect()
}
