//! Messages between nodes: what both transports promise, and how the real network treats attackers.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed"
)]

mod both;
mod hostile;
mod quarrel;
mod raw;
mod restart;
mod third_parties;
mod world;
