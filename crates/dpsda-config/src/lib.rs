//! One file, one experiment: the TOML of a run, read once into checked types.
//!
//! A file is [parsed](sweep::parse) and [split](sweep::runs) into [runs](RunConfig), one for each combination of swept values. A
//! [`Resolver`] provides the data and graphs that a file only names.

mod baseline;
mod blocks;
mod dynamic;
mod general;
mod identity;
mod network;
mod privacy;
mod problem;
mod resolver;
mod rules;
mod run;
mod scaling;
mod split;
mod step;
pub mod sweep;
mod value;

pub use dynamic::Dynamic;
pub use general::{KEYS, SAMPLE_KEYS};
pub use network::Label;
pub use problem::{EventWords, Problem, ProblemCosts, SampleProblem};
pub use resolver::{ResolvedData, ResolvedTable, Resolver};
pub use rules::{RULES, Rules};
pub use run::{KeysRead, RunConfig};
pub use scaling::scaling;
pub use split::{Split, split};
pub use value::{neutral, table};
