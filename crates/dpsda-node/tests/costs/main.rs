//! Costs that a program sends as gradients or as values: what the real driver makes of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod node;
mod rounds;
mod same;
