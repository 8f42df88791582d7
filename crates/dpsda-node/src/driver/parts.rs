//! What a driver is given, and how it may end.

use std::sync::Arc;
use std::time::Duration;

use dpsda::loss::Loss;

use crate::board::Board;
use crate::config::Output;
use crate::machine::{Machine, Todo};
use crate::manifest::Manifest;
use crate::store::{Store, StoreError};
use crate::stream::CostSource;
use crate::transport::{Events, Transport};

/// Everything that runs together.
pub struct Parts {
    /// Which node it is.
    pub me: usize,
    /// What decides.
    pub machine: Box<dyn Machine>,
    /// What it said first.
    pub first: Vec<Todo>,
    /// Where records go.
    pub store: Box<dyn Store>,
    /// Whether that waits for a disk.
    pub on_disk: bool,
    /// How bytes go out.
    pub transport: Arc<dyn Transport>,
    /// What comes in.
    pub events: Events,
    /// Where costs come from.
    pub source: CostSource,
    /// The loss of the experiment.
    pub loss: Arc<dyn Loss>,
    /// How many coordinates a decision has.
    pub dim: usize,
    /// T.
    pub horizon: u64,
    /// What its operator sees.
    pub board: Board,
    /// What it runs.
    pub manifest: Manifest,
    /// Where decisions go.
    pub output: Option<Output>,
    /// How fast, and how patient.
    pub tempo: Tempo,
}

/// How fast, and how patient.
#[derive(Debug, Clone, Copy)]
pub struct Tempo {
    /// At most so many rounds per second, while the node is not behind.
    pub pace: Option<f64>,
    /// How long a round in step waits for peers that were not heard.
    pub wait: Duration,
    /// How long the first release waits for a peer's word: a peer may know that the store is an old one.
    pub ask: Duration,
    /// Whether rounds are in step. They begin when all peers are connected, or were waited for as long as a round waits. A peer
    /// that is not there yet would miss the first messages, and later ones would have to stand for them.
    pub in_step: bool,
    /// How long it stays when all is done. None: until it is stopped.
    pub linger: Option<Duration>,
}

/// Why a node ended that was not asked to.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Decisions could not be written.
    #[error("node.decisions = {path:?}: {error} (give a file that can be written, one for each run)")]
    Decisions {
        /// Where.
        path: String,
        /// Why not.
        error: std::io::Error,
    },
    /// No thread for the store, or for decisions.
    #[error("no thread could be started: {0}")]
    Thread(std::io::Error),
}
