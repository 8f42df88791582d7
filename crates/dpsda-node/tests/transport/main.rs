//! Messages between nodes: what both transports promise, and what the one on a real network does with those who mean no good.

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
