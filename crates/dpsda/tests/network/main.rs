//! Claims about the network room: laws over its tables, the facts of Fig. 2, and wrong input.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

mod laws;
mod members;
mod mixing;
mod shelf;
mod wrong;
