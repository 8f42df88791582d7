//! What a learner must not lose when its host stops.

use serde::{Deserialize, Serialize};

use super::{Replica, Sum};
use crate::privacy::mechanism::PastNoise;
use crate::privacy::{Ledger, Past, Released};

/// One learner between two rounds.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// What it has spent.
    pub ledger: Ledger,
    /// What it has released, and when.
    pub past: Past,
    /// Its own part of the algorithm: released values and what follows from them.
    pub standing: Standing,
    /// The noise that later releases take back. The one secret here.
    pub secret: PastNoise,
}

/// Where a learner is in its algorithm.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub enum Standing {
    /// DPSDA-R: the sum of its own releases. What it knows of others they will tell it again.
    Relay {
        /// Its own block.
        own: Replica,
        /// `y_i`
        estimate: Vec<f64>,
    },
    /// DPSDA-C and DPSDA-PS.
    Gossip {
        /// `z_i`, but for what has not been released.
        mixed: Released,
        /// `h_i`
        dual: Released,
        /// `w_i`
        weight: f64,
        /// `y_i`
        estimate: Vec<f64>,
        /// The books of its links, where it keeps any.
        books: Option<Books>,
    },
}

/// The books of a node's links.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Books {
    /// `w_i`, in units of 2^-40.
    pub weight: i64,
    /// What it kept of its dual when it last spoke.
    pub kept: Released,
    /// All that was ever put on each link out.
    pub sent: Vec<Sum>,
    /// From whom, of which round, and all that was ever taken from each link in.
    pub heard: Vec<(usize, u64, Released, i64)>,
}
