//! One node on a real network: a learner that exchanges messages with peers. Every release is durable before it is sent.
//!
//! A [`machine::Machine`] decides what the node does. It uses no socket, no file and no clock: it is told what happened and
//! says what to do. So the same machine runs over a real network, and in tests that lose messages and crash hosts at every
//! possible point.

pub mod board;
pub mod config;
pub mod driver;
pub mod entry;
pub mod frame;
pub mod host;
pub mod http;
pub mod identity;
pub mod lines;
pub mod machine;
pub mod manifest;
pub mod metrics;
pub mod store;
pub mod stream;
pub mod transport;
