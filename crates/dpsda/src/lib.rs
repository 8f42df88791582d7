//! Decentralised online learning with differential privacy: the mathematics.
//!
//! Many nodes share one decision vector; node `i` owns block `i`. In every round each node commits its block, the cost
//! `f_t` is revealed, and nodes exchange noised messages over a changing network. No I/O, no clock, no threads in here.

pub mod blocks;
pub mod bounds;
pub mod catalog;
pub mod error;
pub mod experiment;
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

pub use blocks::Blocks;
pub use error::Error;
pub use keys::Keys;
