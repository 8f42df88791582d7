//! Seven nodes as they run on hosts, over a network that loses messages: what that costs, and what it must not cost.

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
mod witness;
