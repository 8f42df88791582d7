//! All nodes, one round: decide, reveal, learn, exchange.

mod delivery;
mod each;
mod receipt;
pub use each::{Each, Said};
pub use receipt::Receipt;

use crate::learner::Style;
use crate::objective::Objective;
use crate::privacy::{Ledger, Plan, Spent};
use crate::{Blocks, Error};

/// All nodes of a run. Those who measure see it through the views here, and never a learner.
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
    /// Who owns what.
    fn blocks(&self) -> &Blocks;

    /// Clip, noise and claim.
    fn plan(&self) -> &Plan;

    /// What kind of algorithm it runs.
    fn style(&self) -> Style;

    /// How many learners there are: one per node, or one that sees everything.
    fn learners(&self) -> usize;

    /// `y_i(t)`: all coordinates as learner `i` sees them.
    fn estimate(&self, i: usize) -> &[f64];

    /// The dual that learner `i` has decided from, and what that is divided by, if there is such a thing.
    fn dual(&self, i: usize) -> Option<(Vec<f64>, f64)>;

    /// How many rounds behind the oldest block is that learner `i` decides round `t` from, if it keeps blocks apart.
    fn staleness(&self, i: usize, t: u64) -> Option<u64>;

    /// What learner `i` has spent.
    fn ledger(&self, i: usize) -> &Ledger;

    /// All learn from the cost of round `t`, or each from its own part of it. An error, and nothing learned, if the cost does not
    /// fit.
    fn learn(&mut self, t: u64, f: &dyn Objective) -> Result<(), Error>;

    /// All speak, then all listen: information moves at most one hop a round.
    fn exchange(&mut self, t: u64);

    /// A whole round after the decision: learn, exchange.
    fn round(&mut self, t: u64, f: &dyn Objective) -> Result<(), Error> {
        self.learn(t, f)?;
        self.exchange(t);
        Ok(())
    }

    /// What is decided: one `x(t)`, every node's own block of its own estimate; in a decomposable problem one model per node.
    fn models(&self) -> Vec<Vec<f64>> {
        let all = 0..self.learners();
        match self.style() {
            Style::Model => all.map(|i| self.estimate(i).to_vec()).collect(),
            Style::Central => all.map(|i| self.estimate(i).to_vec()).collect(),
            Style::Relay | Style::Average => {
                vec![all.zip(self.blocks().iter()).flat_map(|(i, b)| self.estimate(i)[b].to_vec()).collect()]
            }
        }
    }

    /// `x(t)`, committed before its cost is seen; in a decomposable problem the mean of the nodes' models.
    fn decision(&self) -> Vec<f64> {
        mean(self.models())
    }

    /// What the ledgers of all nodes hold.
    fn spent(&self) -> Receipt {
        Receipt::new(Spent::of((0..self.learners()).map(|i| self.ledger(i))), self.plan())
    }
}

/// The only model, or the mean of several.
pub fn mean(models: Vec<Vec<f64>>) -> Vec<f64> {
    let count = models.len() as f64;
    let sum = models.into_iter().reduce(|mut sum, x| {
        sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
        sum
    });
    sum.into_iter().flatten().map(|sum| sum / count).collect()
}
