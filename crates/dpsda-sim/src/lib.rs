//! The simulator: learners driven round by round over data, independent trials in parallel, the same bytes on any
//! number of threads.

pub mod bounds;
pub mod check;
pub mod engine;
mod experiment;
pub mod folder;
mod hindsight;
mod hopeless;
mod memory;
mod outcome;
mod room;
mod summary;
pub mod tune;

pub use experiment::{Experiment, Judged, Options, Progress};
pub use memory::Memory;
pub use outcome::{Outcome, Run};
