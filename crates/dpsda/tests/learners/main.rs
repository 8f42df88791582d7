//! Claims about the learners: they match reference runs, a literal transcription of the paper's algorithms, and its
//! lemmas.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

#[allow(clippy::needless_range_loop, reason = "indices as in the formulas")]
mod auto;
#[allow(clippy::needless_range_loop, reason = "indices as in the formulas")]
mod coordinate;
#[allow(clippy::needless_range_loop, reason = "indices as in the formulas")]
mod lemmas;
mod mass;
mod reference;
mod restart;
mod table;
#[allow(clippy::needless_range_loop, reason = "indices as in the formulas")]
mod transcription;
mod world;
