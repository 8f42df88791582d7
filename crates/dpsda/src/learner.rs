//! One node's part of an algorithm: it owns the mathematics and nothing else. No socket, no clock, no file, no thread.
//!
//! A round is always: decide, reveal, learn, exchange. A decision is committed before its cost is seen.

use crate::family;
use crate::network::Degree;
use crate::network::weights::{Columns, Weights};
use crate::objective::Objective;
use crate::privacy::Ledger;

mod gossip;
mod message;
mod model;
mod saved;
mod setup;
mod step;
pub use gossip::Gossip;
pub use message::{Body, Message, Replica, Sum};
pub use saved::{Saved, Standing};
pub use setup::Setup;
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

    /// The first round of its epoch: all before are paid for.
    fn begun(&self) -> u64 {
        0
    }

    /// Begins a new epoch at round `next` with `own` as its block: `lives` other lives of this learner have released rounds of this
    /// epoch before that, and what they spent is charged here. One that has no blocks pays all the same, and must release nothing
    /// any more: what it put on its links is lost. False, and nothing changed, if it cannot.
    #[must_use]
    fn renew(&mut self, _own: Option<Replica>, _next: u64, _lives: u64) -> bool {
        false
    }

    /// How many rounds the oldest block it decides round `t` from is behind, if it keeps blocks apart.
    fn staleness(&self, _t: u64) -> Option<u64> {
        None
    }
}

/// How those who mix keep account of what crosses a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They take what arrives for all that was sent: (12) (20) (21) as they stand. Push-sum then loses what gets lost; rows that
    /// sum to one do so whatever arrives.
    Naive,
    /// Messages carry running sums, so that late and lost ones are made up for.
    RunningSums,
}

/// An algorithm: what it asks of the network and how its learners are made.
#[derive(Debug, Clone, Copy)]
pub struct Algorithm {
    /// The graph it runs on.
    pub network: Graphs,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Costs {
    /// All see `f_t`; every node decides its own block, and the blocks make one decision.
    Shared,
    /// A decomposable problem: node `i` sees `f_{i,t}`, the part of its own samples, and decides a whole model.
    Split,
}

/// What an algorithm noises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noises {
    /// Gradients, which a plan can bound and price.
    Gradients,
    /// All coordinates of whatever it sends, as its authors print it; no promise is derived.
    Messages,
    /// Nothing, ever: a reference for those that do.
    Nothing,
}

/// What an algorithm asks of its weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Graphs {
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
