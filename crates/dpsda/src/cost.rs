//! The costs of a run: which convex function `f_t` is revealed in each round (1).
//!
//! | cost | `f_t(x)` |
//! |---|---|
//! | [`samples`] | the mean loss of linear predictions over a batch of samples |
//! | [`tracking`] | agents' set-points follow a reference, and each stays near its own wish |
//! | [`routing`] | the Beckmann potential of the flows on a road network |
//! | [`portfolio`] | minus the logarithm of a portfolio's growth |
//! | [`expert`] | a linear cost on a simplex: prediction with expert advice |
//! | [`external`] | whatever a program of your own sends to nodes |
//!
//! A [`CostModel`] holds what all trials of an experiment share. [`CostModel::draw`] gives the [`CostSequence`] of one trial.
//!
//! # A cost of your own
//!
//! A program that drives a [`Fleet`](crate::Fleet) needs no model: any [`Objective`] will do. A model adds what experiments need,
//! above all the mean cost of many rounds, against which regret is measured. [`check_rounds`] finds costs that are not convex, and
//! gradients that do not fit, before they spoil a run.
//!
//! ```
//! use std::sync::Arc;
//!
//! use dpsda::cost::{CostModel, CostSequence};
//! use dpsda::prelude::*;
//! use dpsda::regret::{Comparator, TOLERANCE};
//!
//! /// `|x - t/10|^2`, for ten rounds.
//! #[derive(Clone)]
//! struct Moving;
//!
//! impl CostModel for Moving {
//!     fn dim(&self) -> usize {
//!         2
//!     }
//!
//!     fn rounds(&self) -> Option<u64> {
//!         Some(10)
//!     }
//!
//!     fn draw(&self, _: Seed, _: u64) -> Arc<dyn CostSequence> {
//!         Arc::new(self.clone())
//!     }
//! }
//!
//! impl CostSequence for Moving {
//!     fn dim(&self) -> usize {
//!         2
//!     }
//!
//!     fn rounds(&self) -> u64 {
//!         10
//!     }
//!
//!     fn cost(&self, t: u64) -> Option<Box<dyn Objective + '_>> {
//!         let to = t as f64 / 10.0;
//!         let value = move |x: &[f64]| x.iter().map(|x| (x - to).powi(2)).sum();
//!         let gradient = move |x: &[f64], g: &mut [f64]| g.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * (x - to));
//!         (t < 10).then(|| Box::new(OwnCost::new(2, value, gradient)) as Box<dyn Objective>)
//!     }
//! }
//!
//! let costs = Moving.draw(Seed::new(1), 10);
//! let mean = costs.mean(0..10);
//! let set = Cuboid::new(0.0, 1.0)?;
//! dpsda::cost::check_rounds(&*costs, &set, Seed::new(1))?;
//! let best = Comparator::new(&set).best(&[&*mean], &[0.0; 2], TOLERANCE);
//! assert!(best.certified && (best.x[0] - 0.45).abs() < 1e-3);
//! # Ok::<(), dpsda::Error>(())
//! ```

use std::ops::Range;
use std::sync::Arc;

use crate::metric::TrialData;
use crate::objective::Objective;
use crate::privacy::plan::Adjacency;
use crate::rng::Seed;
use crate::set::ConvexSet;
use crate::{Error, Keys, family};

mod by_round;
mod check;
mod columns;
mod mean;
mod number_table;
mod round_numbers;

pub use check::{check, check_rounds};
pub use columns::UsedColumns;
pub use mean::MeanCost;
pub use number_table::NumberTable;

/// Larger decisions do not fit into memory.
const MAX_DIM: usize = 1 << 27;

/// The costs of an experiment: what is the same in every trial.
///
/// ```
/// use dpsda::cost::{COSTS, CostModel, expert::Expert};
/// use dpsda::rng::Seed;
/// let experts = Expert::drawn(4, 0.2)?; // four experts; the best errs less often than the others
/// let costs = experts.draw(Seed::new(1), 100);
/// assert_eq!((experts.dim(), experts.rounds(), costs.rounds()), (4, None, 100));
/// assert!(COSTS.iter().any(|cost| cost.name == "expert"));
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait CostModel: Send + Sync {
    /// How many coordinates the shared decision has.
    fn dim(&self) -> usize;

    /// How many rounds there are. `None` if there can be as many as the user asks for.
    fn rounds(&self) -> Option<u64>;

    /// The costs of one trial of at most `rounds` rounds.
    fn draw(&self, seed: Seed, rounds: u64) -> Arc<dyn CostSequence>;

    /// The number of coordinates that each agent controls, if the cost has agents. A node owns the coordinates of one agent, or of
    /// several.
    fn agents(&self) -> Option<Vec<usize>> {
        None
    }

    /// The set of decisions, if the cost itself says which set that is.
    fn set(&self) -> Option<Arc<dyn ConvexSet>> {
        None
    }

    /// The kind of that set, as `set.kind` names it. A file may name this kind, to set other keys of it, and no other kind.
    fn set_kind(&self) -> Option<&'static str> {
        None
    }

    /// What one event is, in words. `agent` and `round` are the application's words, such as "household" and "quarter of an hour".
    /// `None` if the cost has no such events.
    fn event(&self, adjacency: Adjacency, _agent: &str, round: &str) -> Option<String> {
        (adjacency == Adjacency::Round).then(|| format!("the whole cost of one {round}"))
    }

    /// The names of the quantities that its costs can [measure](Objective::measure).
    fn measures(&self) -> &'static [&'static str] {
        &[]
    }

    /// The columns of tables that it was made from, and the columns that it leaves out.
    fn columns(&self) -> Vec<UsedColumns> {
        Vec::new()
    }

    /// How many numbers a trial draws for every round and keeps; 0 if rounds are given.
    fn drawn(&self) -> usize {
        0
    }

    /// What may be a mistake. Each begins with the name of a key.
    fn warnings(&self, _adjacency: Adjacency) -> Vec<String> {
        Vec::new()
    }

    /// Whether costs can be revealed here. An error if they arrive while nodes run, or if data are missing on this host.
    fn ready(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Whether costs can be revealed to the node that owns these coordinates. It needs its own data and public data, and no others.
    fn ready_for(&self, _block: Range<usize>) -> Result<(), Error> {
        self.ready()
    }
}

/// The costs of one trial.
///
/// ```
/// use dpsda::cost::{CostModel, expert::Expert};
/// use dpsda::rng::Seed;
/// let costs = Expert::drawn(4, 0.2)?.draw(Seed::new(1), 100);
/// let (first, all) = (costs.cost(0).unwrap(), costs.mean(0..100));
/// let even = [0.25; 4];
/// assert!((0.0..=1.0).contains(&first.value(&even)) && (0.0..=1.0).contains(&all.value(&even)));
/// assert!(costs.cost(100).is_none());
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait CostSequence: Send + Sync {
    /// How many coordinates.
    fn dim(&self) -> usize;

    /// How many rounds.
    fn rounds(&self) -> u64;

    /// `f_t`; none after the last round.
    fn cost(&self, t: u64) -> Option<Box<dyn Objective + '_>>;

    /// The mean cost of some rounds. The default computes the cost of every round. A closed form is much faster.
    fn mean(&self, rounds: Range<u64>) -> Box<dyn Objective + '_> {
        Box::new(MeanCost::new(self.dim(), rounds.filter_map(|t| self.cost(t)).collect()))
    }

    /// The samples learned from and the samples held out, if the costs are mean losses of samples.
    fn samples(&self) -> Option<TrialData<'_>> {
        None
    }
}

/// Reads the table of numbers at a path that a key names.
pub type TableReader<'a> = dyn Fn(&str) -> Result<NumberTable, Error> + 'a;

/// Makes a model from keys and from tables that they name.
pub type MakeModel = fn(&Keys<'_>, &TableReader<'_>) -> Result<Box<dyn CostModel>, Error>;

/// How the costs of a file's `[problem]` are made.
///
/// ```
/// use dpsda::Keys;
/// use dpsda::cost::{Build, COSTS, NumberTable};
/// use dpsda::keys::Table;
/// let cost = COSTS.iter().find(|cost| cost.name == "portfolio").unwrap();
/// let Build::Model(make) = cost.build else { panic!("a portfolio has no samples") };
/// let table = Table::from([("path".into(), "prices.csv".into())]);
/// let read = |path: &str| NumberTable::new(path, vec!["a".into(), "b".into()], vec![vec![1.1, 0.9], vec![0.9, 1.2]]);
/// let costs = make(&Keys::new("problem", &table), &read)?;
/// assert_eq!((costs.dim(), costs.rounds()), (2, Some(2)));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Build {
    /// From samples, which the file format reads.
    Samples,
    /// From the keys of `[problem]` and from tables of numbers.
    Model(MakeModel),
}

family! {
    /// Every cost, by the name it has in `problem.cost`.
    COSTS: Build = samples, tracking, routing, portfolio, expert, external
}
