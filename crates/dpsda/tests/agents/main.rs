//! Claims about `adjacency = "agent"`: an event is one node's own part of one round, and the rest of the cost is public.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

mod moves;
mod promise;
mod world;
