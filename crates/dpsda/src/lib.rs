//! Decentralised online learning with differential privacy: the mathematics, as a library.
//!
//! # The problem
//!
//! `n` nodes decide one vector `x` together; node `i` owns block `x_i`. In every round `t` all nodes commit their blocks, then a
//! convex cost `f_t` is revealed, then nodes exchange noised messages over the links of that round. Over `T` rounds they want
//!
//! ```text
//!     sum_t f_t(x(t))  -  min over x in X of  sum_t f_t(x)   =   O(sqrt T)          (2)
//! ```
//!
//! and an eavesdropper on every link, who also sees every decision, must learn almost nothing about any single `f_t`: replacing
//! one of them changes the odds of anything it sees by at most a factor of `exp(epsilon)`.
//!
//! # A whole program
//!
//! ```
//! use dpsda::prelude::*;
//!
//! fn main() -> Result<(), Error> {
//!     let spec = Spec::new(Blocks::even(21, 7)?)
//!         .set(Cuboid::new(-5.0, 5.0)?)
//!         .graph(PaperFig2)
//!         .algorithm(Relay)
//!         .privacy(Privacy::epsilon(1.0).delta(1e-5).clip(1.0).mechanism(Toeplitz))
//!         .rounds(100);
//!     let mut fleet = spec.fleet(Seed::new(1))?; // all nodes
//!     for t in 0..100 {
//!         let x = fleet.decision(); // committed
//!         let f = OwnCost::new(21, |x| x.iter().map(|x| x * x).sum(), |x, g| {
//!             g.iter_mut().zip(x).for_each(|(g, x)| *g = 2.0 * x);
//!         }); // revealed
//!         assert!(f.value(&x).is_finite());
//!         fleet.round(t, &f)?; // learned, exchanged
//!     }
//!     println!("{}", fleet.spent()); // eps 1 per round, all links and decisions so far (delta 1e-5); ...
//!     Ok(())
//! }
//! ```
//!
//! # One round
//!
//! | step | where | in the paper |
//! |---|---|---|
//! | who hears whom | [`network::Topology`] | section 2.1 |
//! | the decision, committed | [`Fleet::decision`] | |
//! | the cost, revealed | [`objective::Objective`] | (1) |
//! | gradient, clip, noise, ledger | [`privacy::Guard`] | (14) (4) (11) |
//! | the messages | [`learner::Message`]: released values only | |
//! | mix or merge, then the proximal map | [`learner::Learner`], [`set::ConvexSet`] | (12) (20) (21) (13) (22) |
//! | the measurements | [`regret`], [`bounds`], [`score`] | (2) (3) (19) (18) |
//!
//! # Parts
//!
//! Every family of interchangeable parts is a trait, a table and one file per member: [`set`], [`loss`], [`network`],
//! [`network::weights`], [`privacy::mechanism`], [`learner`]. A part of your own is a value that implements the trait, and
//! often just a closure: [`objective::OwnCost`], [`network::Varying`], [`learner::Algorithm::new`],
//! [`privacy::Mechanism::exact`]. Constructors check their arguments. Their errors name the argument, the value and what would
//! be right.
//!
//! # What it does not do
//!
//! The library has no I/O, no clock, no threads and no file format. `dpsda-config` reads experiments from TOML, `dpsda-sim`
//! runs them over data, `dpsda-node` runs one node per host, `dpsda-audit` attacks all of it.
//!
//! The examples `first_run`, `own_cost`, `own_algorithm`, `own_graph` and `one_node` are whole programs: `cargo run -p dpsda
//! --example first_run`.

pub mod blocks;
pub mod bounds;
pub mod catalog;
pub mod cost;
pub mod error;
pub mod features;
pub mod fleet;
pub mod keys;
pub mod learner;
pub mod loss;
pub mod metric;
pub mod network;
pub mod objective;
pub mod privacy;
pub mod regret;
pub mod rng;
pub mod score;
pub mod set;
pub mod spec;
mod wide;

pub use blocks::Blocks;
pub use error::Error;
pub use fleet::Fleet;
pub use keys::Keys;
pub use spec::Spec;

/// What most programs need.
pub mod prelude {
    pub use crate::fleet::{Each, Fleet};
    pub use crate::learner::{
        Algorithm, Central, Circulation, Durable, Facts, Learner, Message, Probe, PushSum, Relay, Setup, Step,
    };
    pub use crate::network::{Complete, Degree, Graph, PaperFig2, Ring, Topology, Varying};
    pub use crate::objective::{Objective, OwnCost};
    pub use crate::privacy::mechanism::{
        DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Toeplitz, Tree,
    };
    pub use crate::privacy::{Guard, Ledger, Plan, Privacy, Released, Sealed};
    pub use crate::rng::{NoiseKey, Seed};
    pub use crate::set::{Ball, ConvexSet, Cuboid, Free, Simplex};
    pub use crate::{Blocks, Error, Spec};
}
