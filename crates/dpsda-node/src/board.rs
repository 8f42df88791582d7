//! What a running node lets its operator see: everything here may be published. The driver writes it, and everybody on this host may read it.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::store::ledger::{NodeBudget, Totals};
use crate::transport::Traffic;

/// The node's block of the decision of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The round.
    pub round: u64,
    /// Which life of the node.
    pub epoch: u64,
    /// The block.
    pub block: Vec<f64>,
}

/// What a node is, for as long as it runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Who {
    /// The run's name, as the manifest has it.
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
    /// T: no cost is taken after so many rounds.
    pub horizon: u64,
    /// The names of all members, by number.
    pub members: Vec<String>,
    /// What is promised, in words.
    pub claim: String,
    /// The delta at which the totals are epsilons.
    pub delta: f64,
    /// The limits of this node's own totals.
    pub budget: NodeBudget,
    /// Where it listens for peers.
    pub listen: Vec<String>,
    /// The version of this program.
    pub version: String,
}

/// How a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    /// It is starting, and has not decided anything.
    Starting,
    /// It learns, releases and decides.
    Running,
    /// The budget allows no more releases: it relays and decides.
    Exhausted,
    /// Others hold releases under its key that it did not make, and it cannot begin again: it releases nothing more.
    Halted,
    /// All rounds are done, or the stream ended: it relays.
    Finished,
    /// It is stopping.
    Stopping,
    /// It cannot go on. See `trouble`.
    Failed,
}

/// What becomes different while it runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Now {
    /// How it is.
    pub health: Health,
    /// Why it failed, in words.
    pub trouble: Option<String>,
    /// What no longer holds of the promise, in words.
    pub caveat: Option<String>,
    /// The round whose cost comes next.
    pub round: u64,
    /// Which life of the node.
    pub epoch: u64,
    /// Rounds per second, over the last seconds.
    pub rate: f64,
    /// How far the oldest block that it knows is behind, in rounds, where blocks are relayed.
    pub staleness: Option<u64>,
    /// The epoch and version of every block that it knows, where blocks are relayed.
    pub versions: Vec<(u64, u64)>,
    /// Releases so far, in all lives.
    pub releases: u64,
    /// What this node has spent.
    pub spent: Totals,
    /// Rounds that ended without a peer that was to be heard (lock-step).
    pub late: u64,
    /// What came by the stream.
    pub stream: StreamCounts,
    /// Decisions that should be in a file, or on standard output, and are not.
    pub unwritten: u64,
    /// By node. The own one has nothing but its name.
    pub peers: Vec<PeerView>,
    /// What was refused, by sender and reason.
    pub refused: Vec<Refused>,
    /// Microseconds that the last release took to be durable.
    pub store_micros: u64,
    /// Bytes of memory, if the system says so.
    pub memory: Option<u64>,
    /// Seconds since it was started.
    pub uptime: f64,
}

/// What a node that has begun a new epoch must say of its promise.
pub fn caveat(epoch: u64) -> Option<String> {
    (epoch > 0).then(|| {
        "This node came back with a store that was lost or an old copy, so some of its rounds may have been released more than once. \
         The promise is that of a run without this; what is spent counts it, and is what holds."
            .into()
    })
}

/// What came by the stream so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StreamCounts {
    /// Costs that were learned from.
    pub taken: u64,
    /// Costs of rounds in which nothing was learned: the budget is spent, or the node releases nothing more.
    pub unused: u64,
    /// Rounds whose cost never came.
    pub gaps: u64,
    /// Costs of rounds that were over.
    pub duplicates: u64,
    /// Costs of rounds after the last.
    pub over: u64,
    /// Lines that were no cost.
    pub malformed: u64,
    /// Whether it has ended.
    pub ended: bool,
}

/// A peer, as this node sees it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PeerView {
    /// Its name.
    pub name: String,
    /// What went over the links to it.
    #[serde(flatten)]
    pub traffic: Traffic,
    /// If it runs another manifest: what differs, one line per difference.
    pub differs: Vec<String>,
}

/// Something that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The sender: a member's name, or "strangers".
    pub from: String,
    /// Why.
    pub why: String,
    /// How often.
    pub times: u64,
}

/// The board itself. Clones are the same board.
#[derive(Clone)]
pub struct Board {
    who: Arc<Who>,
    now: Arc<Mutex<Now>>,
    decided: watch::Sender<Option<Arc<Decision>>>,
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
        Self { who: Arc::new(who), now: Arc::new(Mutex::new(now)), decided: watch::Sender::new(None) }
    }

    /// What the node is.
    pub fn who(&self) -> &Who {
        &self.who
    }

    /// How it is now.
    pub fn now(&self) -> Now {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what is seen.
    pub fn change(&self, change: impl FnOnce(&mut Now)) {
        change(&mut self.now.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Commits a decision.
    pub fn decide(&self, decision: Decision) {
        self.decided.send_replace(Some(Arc::new(decision)));
    }

    /// The latest decision, and the ones to come. A slow reader misses some: the append-only log has all.
    pub fn decisions(&self) -> watch::Receiver<Option<Arc<Decision>>> {
        self.decided.subscribe()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Of a node that says nothing of itself.
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
