//! A store keeps records through crashes, and keeps its secrets.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

mod before;
mod crash;
mod damage;
mod drive;
mod folder;
mod fuzz;
mod keep;
mod node;
mod order;
#[path = "../world/seeds.rs"]
mod seeds;
