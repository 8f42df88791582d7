//! Claims about the baselines: they match a literal transcription, find the known optimum, agree, have sublinear regret, and
//! without noise are their non-private parents.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod claims;
mod laws;
#[allow(clippy::needless_range_loop, reason = "indices as in the formulas")]
mod transcription;
mod world;
