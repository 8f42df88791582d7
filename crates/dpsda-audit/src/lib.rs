//! The auditor: it plays against the program and measures what an adversary learns.
//!
//! Two worlds differ in one event. The real learners run over the real network under the real plan; an adversary reads
//! every message, every decision and every retransmission, and says which world it was. How often it is right bounds
//! epsilon from below: if the bound exceeds the claim, the claim is false. **An audit never proves privacy; a proof
//! does. An audit finds the bug between proof and program.**

pub mod adversary;
mod arena;
pub mod attack;
pub mod audit;
pub mod bound;
pub mod canary;
mod evidence;
mod game;
pub mod host;
mod one_run;
pub mod picture;
mod rule;
mod transcript;

pub use arena::Arena;
pub use evidence::STATISTICS;
pub use game::{Game, Measured, Scores, Tick, View};
pub use host::{Honest, Host};
pub use one_run::{OneRun, one_run};
pub use rule::Rule;
pub use transcript::Transcript;
