//! The node's HTTP server, tested over real sockets.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stand outside #[test]")]
#![allow(unreachable_pub, reason = "helpers of tests")]

mod asked;
mod attacks;
mod client;
mod posted;
mod prometheus;
mod sample;
