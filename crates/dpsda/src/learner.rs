//! One node's part of an algorithm: it owns the mathematics and nothing else. No socket, no clock, no file, no thread.
//!
//! A round is always: decide, reveal, learn, exchange. A decision is committed before its cost is seen.

use std::sync::Arc;

use rand_distr::{Distribution, Normal};
use serde::{Deserialize, Serialize};

use crate::network::Degree;
use crate::network::weights::{Columns, Weights};
use crate::objective::Objective;
use crate::objective::two_point::{Feedback, TwoPoint, direction};
use crate::privacy::{Guard, Ledger, Plan, Released, Sensitive};
use crate::rng::{Key, Purpose, Seed};
use crate::set::ConvexSet;
use crate::{Blocks, family};

mod gossip;
mod model;
mod saved;
mod step;
pub use gossip::Gossip;
pub use saved::{Life, Saved};
pub use step::{Rule, Step};

/// A node of a running algorithm.
pub trait Learner: Send {
    /// `y_i(t)`: all coordinates as this node sees them. Its own block of it is its decision `x_i(t)`.
    fn estimate(&self) -> &[f64];

    /// Takes in the cost of round `t`, at the estimate it has decided from (14).
    fn learn(&mut self, t: u64, f: &dyn Objective);

    /// Told before it speaks in round `t`: who is scheduled to hear it, in order. Only who keeps books of its links asks.
    fn address(&mut self, _t: u64, _receivers: &[Degree]) {}

    /// What it says in this round, to all who hear it alike.
    fn speak(&mut self, degree: Degree) -> Message;

    /// Ends round `t` with what it heard, in order of senders: mixes or merges, then (6).
    fn listen(&mut self, t: u64, inbox: &[&Message]);

    /// What its estimate is the proximal point of, for measuring: the dual that it has decided from, and what that is divided
    /// by. None where there is no such thing.
    fn dual(&self) -> Option<(Vec<f64>, f64)> {
        None
    }

    /// What it has spent.
    fn ledger(&self) -> &Ledger;

    /// What it will have spent if it learns from round `t`: to be asked before. None for learners that are not run on hosts.
    fn foresee(&self, _t: u64) -> Option<Ledger> {
        None
    }

    /// What must survive a restart, between rounds. None for learners that are not run on hosts, and while a gradient waits for
    /// its release.
    fn save(&self) -> Option<Saved> {
        None
    }

    /// Goes on from what another life of the same learner saved; false, and nothing changed, if that does not fit.
    #[must_use]
    fn restore(&mut self, _saved: Saved) -> bool {
        false
    }

    /// The first round of its epoch, for learners that can begin a new one.
    fn begun(&self) -> u64 {
        0
    }

    /// Begins a new epoch at round `next` with `own` as its block: `lives` other lives of this learner have released rounds of this
    /// epoch before that, and what they spent is charged here. False, and nothing changed, if it cannot.
    #[must_use]
    fn renew(&mut self, _own: Copy, _next: u64, _lives: u64) -> bool {
        false
    }

    /// How many rounds the oldest block it decides round `t` from is behind, if it keeps blocks apart.
    fn staleness(&self, _t: u64) -> Option<u64> {
        None
    }
}

/// What crosses a link.
#[derive(Debug, Clone)]
pub struct Message {
    /// The sender and its degrees in this round.
    pub from: Degree,
    /// What it says.
    pub body: Body,
}

/// What a message says. Nothing here can hold a [`Sensitive`] value.
#[derive(Debug, Clone)]
pub enum Body {
    /// `h_j` and `w_j` of (20) and (21). In grid arithmetic the dual is on the plan's grid and the weight a multiple of
    /// 2^-40, which f64 holds exactly.
    Dual {
        /// The noised dual.
        dual: Released,
        /// The push-sum weight.
        weight: f64,
    },
    /// The newest copy the sender has of every block's running sum.
    Blocks(Vec<Copy>),
    /// What a baseline sends: its state, and what goes with it.
    State {
        /// The noised state.
        state: Released,
        /// Numbers that depend on the network alone: push-sum's weight, or those that DPSR and DP-WB balance with.
        weights: Vec<f64>,
    },
    /// Everything that was ever put on each link of this round, where messages may be late or lost.
    Sums {
        /// The round it was said in: the newest is right.
        round: u64,
        /// One for every receiver, in order; each looks at its own.
        sums: Vec<Sum>,
    },
}

/// Everything that was ever put on a link: the sum of all shares of (20) and (21).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sum {
    /// The receiver.
    pub to: usize,
    /// Of the dual. On a grid it may pass the end of the integers and go round.
    pub dual: Arc<Released>,
    /// Of the weight, in units of 2^-40, likewise.
    pub weight: i64,
}

/// A block's running sum, as its owner released it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Copy {
    /// How many rounds it has taken in.
    pub version: u64,
    /// The sum.
    pub sum: Arc<Released>,
    /// The sum of squares of all that was released, where steps follow from it.
    pub squares: Option<Arc<Released>>,
}

impl Copy {
    /// Whether it has the shape of another.
    fn like(&self, other: &Self) -> bool {
        let squares = |copy: &Self| copy.squares.as_ref().map(|q| q.len());
        let unit = |copy: &Self| copy.sum.units().map(|(_, unit)| unit);
        self.sum.len() == other.sum.len() && unit(self) == unit(other) && squares(self) == squares(other)
    }
}

/// How those who mix keep account of what crosses a link.
#[derive(Debug, Clone, std::marker::Copy, PartialEq, Eq)]
pub enum Links {
    /// They take what arrives for all that was sent: (12) (20) (21) as they stand. Push-sum then loses what gets lost; rows that
    /// sum to one do so whatever arrives.
    Naive,
    /// Messages carry running sums, so that late and lost ones are made up for.
    RunningSums,
}

/// What a learner is made of.
#[derive(Clone)]
pub struct Setup {
    /// Which node it is; 0 for a central learner.
    pub node: usize,
    /// Who owns what.
    pub blocks: Arc<Blocks>,
    /// Where decisions must lie.
    pub set: Arc<dyn ConvexSet>,
    /// The steps.
    pub step: Step,
    /// The weight rule, for algorithms that mix.
    pub weights: Option<Arc<dyn Weights>>,
    /// Clip, noise and claim.
    pub plan: Arc<Plan>,
    /// How what crosses links is accounted for, by algorithms that mix.
    pub links: Links,
    /// What it is told of costs.
    pub feedback: Feedback,
    /// The variance of the gradient error xi.
    pub gradient_error: f64,
    /// Names its randomness.
    pub seed: Seed,
    /// What its noise is drawn from in place of the seed, where noise must be a secret.
    pub key: Option<Key>,
}

impl Setup {
    /// What stands between this node's gradients and the world.
    fn guard(&self) -> Guard {
        self.plan.guard(self.node, self.seed).keyed(self.key.clone())
    }

    /// `Pi(0, 1)`: what everybody starts from.
    fn start(&self) -> Vec<f64> {
        let mut y = vec![0.0; self.blocks.dim()];
        self.set.prox(&vec![0.0; y.len()], 1.0, &mut y);
        y
    }

    /// (6) after round `t`: from the dual alone or, where every coordinate has its own step, with its sum of squares.
    fn decide(&self, t: u64, dual: &[f64], squares: Option<&[f64]>, y: &mut [f64]) {
        match (squares, self.set.each()) {
            (Some(squares), Some(set)) => set.prox_each(dual, &self.step.each(squares), y),
            _ => self.set.prox(dual, self.step.after(t), y),
        }
    }

    /// Whether every coordinate has its own step.
    fn steps_differ(&self) -> bool {
        self.step.rule == Rule::Coordinate && self.set.each().is_some()
    }

    /// (14) for node `i` at `y`.
    fn observe(&self, guard: &Guard, i: usize, t: u64, f: &dyn Objective, y: &[f64]) -> Sensitive {
        let block = self.blocks.range(i);
        let error = self.error(i, t, block.len());
        match self.feedback {
            Feedback::Gradient => guard.observe(t, f, y, block, &error),
            Feedback::TwoPoint { probe } => {
                let mut stream = self.seed.stream(Purpose::Direction, i as u64, t);
                let direction = direction(block.len(), &mut stream);
                guard.observe(t, &TwoPoint { cost: f, probe, direction }, y, block, &error)
            }
        }
    }

    /// xi of node `i`: normal, of the variance set.
    fn error(&self, i: usize, t: u64, len: usize) -> Vec<f64> {
        match Normal::new(0.0, self.gradient_error.sqrt()) {
            Ok(law) if self.gradient_error > 0.0 => {
                law.sample_iter(self.seed.stream(Purpose::GradientError, i as u64, t)).take(len).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// An algorithm: what it asks of the network and how its learners are made.
#[derive(Debug, Clone, std::marker::Copy)]
pub struct Algorithm {
    /// The graph it runs on.
    pub network: Network,
    /// How it mixes what it hears, if it does.
    pub mixes: Option<Mixes>,
    /// Whether gradients are multiplied by `n`, because averaging divides by it.
    pub averages: bool,
    /// Whether every coordinate may have its own step, computed from what its owner released.
    pub coordinate_steps: bool,
    /// Whose costs its nodes see, and what they decide.
    pub costs: Costs,
    /// What it noises.
    pub noises: Noises,
    /// Whether its decisions lie in the set; if not, it runs unconstrained on any.
    pub keeps_to_set: bool,
    /// One learner.
    pub build: fn(Setup) -> Box<dyn Learner>,
}

/// Whose costs the nodes of an algorithm see.
#[derive(Debug, Clone, std::marker::Copy, PartialEq, Eq)]
pub enum Costs {
    /// All see `f_t`; every node decides its own block, and the blocks make one decision.
    Shared,
    /// A decomposable problem: node `i` sees `f_{i,t}`, the part of its own samples, and decides a whole model.
    Split,
}

/// What an algorithm noises.
#[derive(Debug, Clone, std::marker::Copy, PartialEq, Eq)]
pub enum Noises {
    /// Gradients, which a plan can bound and price.
    Gradients,
    /// All coordinates of whatever it sends, as its authors print it; no promise is derived.
    Messages,
    /// Nothing, ever: a reference for those that do.
    Nothing,
}

/// What an algorithm asks of its weights.
#[derive(Debug, Clone, std::marker::Copy, PartialEq, Eq)]
pub enum Mixes {
    /// Rows that sum to one, and unless a user names others, these.
    Rows(&'static str),
    /// Rows that sum to one, whatever columns do: it corrects for them itself.
    RowsOnly(&'static str),
    /// Columns that sum to one on every graph, and unless a user names others, these.
    Columns(&'static str),
    /// Rows and, on undirected graphs, columns that sum to one.
    Both(&'static str),
}

impl Mixes {
    /// The rule that is used unless a user names another.
    pub fn default_rule(self) -> &'static str {
        let (Self::Rows(name) | Self::RowsOnly(name) | Self::Columns(name) | Self::Both(name)) = self;
        name
    }

    /// Whether it can run with these weights.
    pub fn accepts(self, weights: &dyn Weights) -> bool {
        match self {
            Self::Rows(_) | Self::RowsOnly(_) => weights.row_stochastic(),
            Self::Both(_) => weights.row_stochastic() && weights.column_stochastic() != Columns::No,
            Self::Columns(_) => weights.column_stochastic() == Columns::Always,
        }
    }
}

/// What an algorithm asks of the network.
#[derive(Debug, Clone, std::marker::Copy, PartialEq, Eq)]
pub enum Network {
    /// Links without direction; directions are dropped.
    Undirected,
    /// Links as they are.
    AsGiven,
    /// One graph for all rounds: the union of those of a period.
    Union,
    /// None: one learner sees everything.
    None,
}

family! {
    /// Every algorithm, by the name it has in `algorithm.name`.
    ALGORITHMS: Algorithm = circulation, push_sum, relay, central, oda_c, oda_ps, doda, dpps, dpdola, dpsr, osp, dp_osp, dp_wb
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::mechanism::MECHANISMS;
    use crate::privacy::plan::{Shape, Wish};
    use crate::set::free::Free;

    fn setup(gradient_error: f64) -> Setup {
        let blocks = Blocks::even(6, 2).unwrap();
        let shape = Shape { averages: false, blocks: &blocks, rounds: 1, batch: 1 };
        let plan = Plan::new(Wish::level(&MECHANISMS[0], 1.0), &shape).unwrap();
        Setup {
            node: 0,
            set: Arc::new(Free),
            step: Step::decaying(1.0),
            weights: None,
            plan: Arc::new(plan),
            blocks: Arc::new(blocks),
            links: Links::Naive,
            feedback: Feedback::Gradient,
            gradient_error,
            seed: Seed { seed: 4, trial: 2 },
            key: None,
        }
    }

    /// Assumption 2: no bias, the variance set, a draw of its own for every node and round.
    #[test]
    fn the_gradient_error_has_the_variance_set_and_no_bias() {
        let setup = setup(0.1);
        let xi: Vec<f64> = (0..10_000).flat_map(|k| setup.error(k % 2, k as u64 / 2, 3)).collect();
        let n = xi.len() as f64;
        let mean = xi.iter().sum::<f64>() / n;
        let variance = xi.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        // Six standard errors of the mean and of the variance of a normal sample.
        assert!(mean.abs() < 6.0 * (0.1 / n).sqrt(), "mean {mean}");
        assert!((variance - 0.1).abs() < 6.0 * 0.1 * (2.0 / n).sqrt(), "variance {variance}");
        let mut different = xi.clone();
        different.sort_by(f64::total_cmp);
        different.dedup();
        assert_eq!(different.len(), xi.len(), "nodes and rounds do not share draws");
        assert!(self::setup(0.0).error(0, 0, 3).is_empty());
    }
}
