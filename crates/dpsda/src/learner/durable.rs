//! What a learner must not lose when its host stops.

use serde::{Deserialize, Serialize};

use super::{Learner, Replica, Sum};
use crate::privacy::mechanism::PastNoise;
use crate::privacy::{Ledger, Past, Released, stored};

/// A learner that a host runs: it can say beforehand what a round costs, and go on after a restart.
pub trait Durable: Learner {
    /// What it will have spent if it learns from round `t`: to be asked before.
    fn foresee(&self, t: u64) -> Ledger;

    /// What must survive a restart, between rounds. None while a gradient waits for its release.
    fn save(&self) -> Option<Saved>;

    /// Goes on from what another life of the same learner saved; false, and nothing changed, if that does not fit.
    #[must_use]
    fn restore(&mut self, saved: Saved) -> bool;

    /// The first round of its epoch: all before are paid for.
    fn begun(&self) -> u64;

    /// Begins a new epoch at round `next` with `own` as its block: `lives` other lives of this learner have released rounds of this
    /// epoch before that, and what they spent is charged here. A learner that has no blocks pays all the same. It must release
    /// nothing from then on: what it put on its links is lost. False, and nothing changed, if it cannot.
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
    /// DPSDA-R: the sum of its own releases. What it knows of others they will tell it again.
    Relay {
        /// Its own block.
        #[serde(deserialize_with = "stored::replica")]
        own: Replica,
        /// `y_i`
        estimate: Vec<f64>,
    },
    /// DPSDA-C and DPSDA-PS.
    Gossip {
        /// `z_i`, but for what has not been released.
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
