//! The auditor: it attacks the program and measures how much an adversary learns.
//!
//! Two worlds differ in one event. The real learners run over the real network under the real plan. An adversary reads
//! every message, every decision and every retransmission, and guesses which world it was. How often it is right gives a
//! lower bound on epsilon: if the bound exceeds the claim, the claim is false. **An audit never proves privacy; a proof
//! does. An audit finds the bug between proof and program.**
//!
//! An [`Arena`] holds the program under audit and its claim, [`audit::honest`] audits it, and [`attack`] has the two attacks that
//! the paper names.

pub mod adversary;
mod arena;
pub mod attack;
pub mod audit;
pub mod bound;
pub mod canary;
mod evidence;
mod game;
mod guess;
pub mod host;
mod one_run;
pub mod picture;
mod transcript;
mod unfinished;

pub use arena::Arena;
pub use evidence::STATISTICS;
pub use game::{Game, Measured, RunsDone, Scores, View};
pub use guess::Guess;
pub use host::{Honest, Host, Playing};
pub use one_run::{OneRun, one_run};
pub use transcript::Transcript;
pub use unfinished::Unfinished;
