//! A simulated world: messages are lost, repeated and reordered, and hosts crash at every point of the release path and again
//! while they recover. Everything follows from one seed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

mod audit;
mod bytes;
mod capture;
mod crash;
mod epochs;
mod fuzz;
mod host;
mod manifest;
mod old;
mod parity;
mod seeds;
mod setting;
mod step;
mod sums;
