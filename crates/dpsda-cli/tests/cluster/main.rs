//! Nodes as their operators meet them: real processes that talk over the loopback.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "figures, and the logs of a failure")]

mod before;
mod budget;
mod crash;
mod demand;
mod deploy;
#[path = "../cli/desk.rs"]
mod desk;
mod folder;
mod households;
mod manifests;
mod mistakes;
mod nobody_waits;
mod parity;
mod program;
mod routing;
mod start;
mod stream;
mod world;
