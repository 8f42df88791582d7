//! The board: what a running node shows its operator. Everything here may be published. The driver writes it, and every user of
//! this host may read it.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::store::ledger::{NodeBudget, Totals};
use crate::stream::Estimate;
use crate::transport::Traffic;

/// The node's block of the decision of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The round.
    pub round: u64,
    /// The epoch of the node.
    pub epoch: u64,
    /// The block.
    pub block: Vec<f64>,
}

/// What a node is. It does not change while the node runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Who {
    /// The run's name, from the manifest.
    pub run: String,
    /// The node's name.
    pub node: String,
    /// Its number.
    pub number: usize,
    /// Its public key, in hexadecimal digits.
    pub key: String,
    /// The digest of the manifest, in hexadecimal digits.
    pub manifest: String,
    /// dpsda-r, dpsda-c or dpsda-ps.
    pub algorithm: String,
    /// "free" or "lock-step".
    pub rounds: String,
    /// T: the number of rounds. No cost is taken after them.
    pub horizon: u64,
    /// The names of all members, by number.
    pub members: Vec<String>,
    /// The privacy promise in words.
    pub claim: String,
    /// The delta for which the totals are stated as epsilons.
    pub delta: f64,
    /// The limits of this node's own totals.
    pub budget: NodeBudget,
    /// Where it listens for peers.
    pub listen: Vec<String>,
    /// The version of this program.
    pub version: String,
}

/// The health of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    /// It is starting and has made no decision yet.
    Starting,
    /// It learns, releases and decides.
    Running,
    /// The budget allows no more releases. It still relays and decides.
    Exhausted,
    /// Peers hold releases under its key that it did not make, and it cannot begin a new epoch. It releases nothing more.
    Halted,
    /// All rounds are done, or the stream has ended. It still relays.
    Finished,
    /// It is stopping.
    Stopping,
    /// It cannot go on. See `trouble`.
    Failed,
}

/// The state of a node, which changes while it runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Now {
    /// Its health.
    pub health: Health,
    /// Why it failed, in words.
    pub trouble: Option<String>,
    /// Which part of the promise no longer holds, in words.
    pub caveat: Option<String>,
    /// The round whose cost comes next.
    pub round: u64,
    /// The epoch of the node.
    pub epoch: u64,
    /// Rounds per second, over the last 5 seconds.
    pub rate: f64,
    /// How many rounds the oldest known block is behind, if blocks are relayed.
    pub staleness: Option<u64>,
    /// The epoch and version of every known block, if blocks are relayed.
    pub versions: Vec<(u64, u64)>,
    /// Releases so far, in all epochs.
    pub releases: u64,
    /// What this node has spent.
    pub spent: Totals,
    /// Lock-step rounds that ended without an expected peer.
    pub late: u64,
    /// Counts of the costs in the stream.
    pub stream: StreamCounts,
    /// Decisions that could not be written to the file or to standard output.
    pub unwritten: u64,
    /// All members, by number. For this node itself only the name is set.
    pub peers: Vec<PeerView>,
    /// Refused messages and connections, by sender and reason.
    pub refused: Vec<Refused>,
    /// Microseconds until the last release was durable.
    pub store_micros: u64,
    /// Bytes of memory, if the system tells.
    pub memory: Option<u64>,
    /// Seconds since the start.
    pub uptime: f64,
}

/// The reservation about the promise of a node that has begun a new epoch.
pub fn caveat(epoch: u64) -> Option<String> {
    (epoch > 0).then(|| {
        "This node restarted with a lost store or an old copy of it, so it may have released some rounds more than once. \
         The promise does not cover this. The totals spent do: they are what holds."
            .into()
    })
}

/// Counts of the costs in the stream so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StreamCounts {
    /// Costs that were learned from.
    pub taken: u64,
    /// Costs ignored after learning stopped: the budget is spent, or the node is halted.
    pub unused: u64,
    /// Rounds without a cost.
    pub gaps: u64,
    /// Costs for past rounds.
    pub duplicates: u64,
    /// Gradients for rounds that had not begun.
    pub early: u64,
    /// Gradients that were taken at another estimate of their round.
    pub stale: u64,
    /// Costs for rounds after the last one.
    pub over: u64,
    /// Lines that are not a valid cost.
    pub malformed: u64,
    /// Whether the stream has ended.
    pub ended: bool,
}

/// A peer, as this node sees it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PeerView {
    /// Its name.
    pub name: String,
    /// The traffic on its links.
    #[serde(flatten)]
    pub traffic: Traffic,
    /// If it runs another manifest: one line per difference.
    pub differs: Vec<String>,
}

/// Refused messages or connections of one sender, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The sender: a member's name, or "strangers".
    pub from: String,
    /// The reason.
    pub why: String,
    /// How many were refused.
    pub times: u64,
}

/// The board itself. Clones share one board.
#[derive(Clone)]
pub struct Board {
    who: Arc<Who>,
    now: Arc<Mutex<Now>>,
    decided: watch::Sender<Option<Arc<Decision>>>,
    estimate: watch::Sender<Option<Arc<Estimate>>>,
}

impl Board {
    /// An empty one.
    pub fn new(who: Who) -> Self {
        let peers =
            who.members.iter().map(|name| PeerView { name: name.clone(), ..PeerView::default() }).collect();
        let now = Now {
            health: Health::Starting,
            trouble: None,
            caveat: None,
            round: 0,
            epoch: 0,
            rate: 0.0,
            staleness: None,
            versions: Vec::new(),
            releases: 0,
            spent: Totals::default(),
            late: 0,
            stream: StreamCounts::default(),
            unwritten: 0,
            peers,
            refused: Vec::new(),
            store_micros: 0,
            memory: None,
            uptime: 0.0,
        };
        Self {
            who: Arc::new(who),
            now: Arc::new(Mutex::new(now)),
            decided: watch::Sender::new(None),
            estimate: watch::Sender::new(None),
        }
    }

    /// The fixed part: what the node is.
    pub fn who(&self) -> &Who {
        &self.who
    }

    /// The state now.
    pub fn now(&self) -> Now {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the state.
    pub fn change(&self, change: impl FnOnce(&mut Now)) {
        change(&mut self.now.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Shows a new decision.
    pub fn decide(&self, decision: Decision) {
        self.decided.send_replace(Some(Arc::new(decision)));
    }

    /// The latest decision and all later ones. A slow reader misses some; the append-only log has all of them.
    pub fn decisions(&self) -> watch::Receiver<Option<Arc<Decision>>> {
        self.decided.subscribe()
    }

    /// Shows the point at which the next gradient is wanted.
    pub fn expect(&self, estimate: Estimate) {
        self.estimate.send_replace(Some(Arc::new(estimate)));
    }

    /// The estimate of the round whose cost comes next, and all later ones.
    pub fn estimates(&self) -> watch::Receiver<Option<Arc<Estimate>>> {
        self.estimate.subscribe()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The board of a node, for tests.
    pub(crate) fn board() -> Board {
        Board::new(Who {
            run: "run".into(),
            node: "a".into(),
            number: 0,
            key: String::new(),
            manifest: String::new(),
            algorithm: "dpsda-r".into(),
            rounds: "free".into(),
            horizon: 10,
            members: vec!["a".into(), "b".into()],
            claim: String::new(),
            delta: 1e-5,
            budget: NodeBudget::default(),
            listen: Vec::new(),
            version: String::new(),
        })
    }
}
