//! Seven nodes with the real driver, over a network that loses messages: the cost in regret, and the mass that must not change.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

mod group;
mod mass;
mod regret;
#[path = "../world/sums.rs"]
mod sums;
#[path = "../common/watched.rs"]
mod watched;
mod witness;
