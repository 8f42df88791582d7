//! The state that a learner must not lose when its host stops.

use serde::{Deserialize, Serialize};

use super::{Learner, Replica, Sum};
use crate::privacy::mechanism::PastNoise;
use crate::privacy::{Ledger, Past, Released, stored};

/// A learner that a host runs: it can say in advance what a round costs, and continue after a restart.
pub trait Durable: Learner {
    /// What it will have spent if it learns from round `t`. A host asks before it lets it learn.
    fn foresee(&self, t: u64) -> Ledger;

    /// The state that must survive a restart, between rounds. `None` while a gradient waits for its release.
    fn save(&self) -> Option<Saved>;

    /// Continues from what another life of the same learner saved. False, with nothing changed, if that does not fit.
    #[must_use]
    fn restore(&mut self, saved: Saved) -> bool;

    /// The first round of its epoch: all earlier rounds are paid for.
    fn begun(&self) -> u64;

    /// Begins a new epoch at round `next` with `own` as its block. `lives` other lives of this learner have released rounds of
    /// this epoch before `next`, and what they spent is charged here. A learner without blocks pays too, and must release
    /// nothing from then on: what it put on its links is lost. False, with nothing changed, if it cannot.
    #[must_use]
    fn renew(&mut self, own: Option<Replica>, next: u64, lives: u64) -> bool;
}

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
    /// DPSDA-R: the sum of its own releases. The other nodes will send their blocks again.
    Relay {
        /// Its own block.
        #[serde(deserialize_with = "stored::replica")]
        own: Replica,
        /// `y_i`
        estimate: Vec<f64>,
    },
    /// DPSDA-C and DPSDA-PS.
    Gossip {
        /// `z_i`, without what has not been released.
        #[serde(deserialize_with = "stored::released")]
        mixed: Released,
        /// `h_i`
        #[serde(deserialize_with = "stored::released")]
        dual: Released,
        /// `w_i`
        weight: f64,
        /// `y_i`
        estimate: Vec<f64>,
        /// The books of its links, where it keeps any.
        books: Option<SavedBooks>,
    },
}

/// The books of a node's links.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedBooks {
    /// `w_i`, in units of 2^-40.
    pub weight: i64,
    /// What it kept of its dual when it last spoke.
    #[serde(deserialize_with = "stored::released")]
    pub kept: Released,
    /// All that was ever put on each link out.
    #[serde(deserialize_with = "stored::sums")]
    pub sent: Vec<Sum>,
    /// From whom, of which round, and all that was ever taken from each link in.
    #[serde(deserialize_with = "stored::heard")]
    pub heard: Vec<(usize, u64, Released, i64)>,
}
