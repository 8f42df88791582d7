//! The parts that a driver is built from, and the errors that end it.

use std::sync::Arc;
use std::time::Duration;

use crate::board::Board;
use crate::config::Output;
use crate::machine::{Machine, Todo};
use crate::manifest::Manifest;
use crate::store::{Store, StoreError};
use crate::stream::{CostSource, CostTerms};
use crate::transport::{Events, Transport};

/// All parts of a node.
pub struct Parts {
    /// The number of this node.
    pub me: usize,
    /// The machine, which decides what the node does.
    pub machine: Box<dyn Machine>,
    /// The machine's first instructions.
    pub first: Vec<Todo>,
    /// The store for records.
    pub store: Box<dyn Store>,
    /// Whether the store waits for a disk.
    pub on_disk: bool,
    /// The transport, which sends messages.
    pub transport: Arc<dyn Transport>,
    /// The transport's events, such as messages from peers.
    pub events: Events,
    /// Where costs come from.
    pub source: CostSource,
    /// How it reads the costs that arrive.
    pub costs: CostTerms,
    /// Whether programs may ask for the node's estimates. If nobody can, none is copied to the board.
    pub asked: bool,
    /// T.
    pub horizon: u64,
    /// The board that its operator sees.
    pub board: Board,
    /// The manifest that it runs.
    pub manifest: Manifest,
    /// Where decisions go.
    pub output: Option<Output>,
    /// Its pace and its waiting times.
    pub tempo: Tempo,
}

/// The pace of a node, and its waiting times.
#[derive(Debug, Clone, Copy)]
pub struct Tempo {
    /// The largest number of rounds per second, while the node is not behind.
    pub pace: Option<f64>,
    /// How long a lock-step round waits for peers that were not heard.
    pub wait: Duration,
    /// How long the first release waits for a first message from a peer: the peer may know that the store is an old copy.
    pub ask: Duration,
    /// Whether rounds are in lock-step. The first round begins when all peers are connected, or after waiting as long as a round
    /// waits. A peer that connects later would miss the first messages, and later messages would have to replace them.
    pub in_step: bool,
    /// How long the node goes on relaying when all work is done. None: until it is stopped.
    pub linger: Option<Duration>,
}

/// Why a node ended without being asked to.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Decisions could not be written.
    #[error("node.decisions = {path:?}: {error} (give a file that can be written, one for each run)")]
    Decisions {
        /// The file.
        path: String,
        /// The error.
        error: std::io::Error,
    },
    /// The thread of the store or of the decisions could not be started.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
}
