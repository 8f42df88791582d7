//! One file, one experiment: the TOML of a run, read once into checked types.
//!
//! A file is [parsed](sweep::parse) and [taken apart](sweep::cells) into [cells](Cell), one for each value of a sweep. What a
//! file only names, data and graphs, a [`Resolver`] provides.

mod baseline;
mod cell;
mod general;
mod identity;
mod network;
mod privacy;
mod problem;
mod resolver;
mod rules;
mod split;
mod step;
pub mod sweep;
mod value;

pub use cell::{Cell, Read};
pub use general::KEYS;
pub use network::Label;
pub use problem::Problem;
pub use resolver::{Data, Resolver};
pub use rules::{RULES, Rules};
pub use split::{Split, split};
pub use value::{neutral, table};
