//! One node on a real network: a learner, driven by what is heard and made durable before anything is said.
//!
//! What a node does is decided by [`machine::Machine`], which touches no socket, no file and no clock: it is told what
//! happened and says what to do. So the same machine runs over a network, and in a world that loses messages and crashes
//! hosts at every point where that can happen.

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
