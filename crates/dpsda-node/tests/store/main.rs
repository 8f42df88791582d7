//! A store keeps what it was given, through crashes, and gives it to nobody else.

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
#[path = "../world/seeds.rs"]
mod seeds;
