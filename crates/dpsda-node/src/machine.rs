//! The state machine of a node: it is told what happened and says what to do. It does nothing itself.
//!
//! The order in which a release becomes public is a promise (docs/privacy.md): gradient, clip, noise; then one record of round,
//! entry, state and ledger is made durable; only then is the first byte sent. So the machine first says [`Todo::Store`]. Only
//! after [`Happened::Durable`] does it say what follows from the release. After a crash there are two cases. Either the record
//! exists, and the same bytes are sent again; or it does not exist, and nothing had left the host.

mod former;
mod free;
mod learning;
mod lives;
mod lockstep;

use std::sync::Arc;

use dpsda::learner::{Durable, Saved, Style};
use dpsda::network::Topology;
use dpsda::objective::Objective;
use dpsda::privacy::{Ledger, Plan};
use dpsda_config::RunConfig;
use serde::{Deserialize, Serialize};

use crate::entry::{Digest, Entry};
use crate::frame::{Grammar, Refusal};
use crate::identity::{Identity, PublicKey};

use former::FormerReleases;
use learning::Learning;

pub use free::FreeRounds;
pub use lockstep::Lockstep;

/// The fixed settings of a node.
pub struct NodeTerms {
    /// The number of this node.
    pub me: usize,
    /// Its key.
    pub identity: Arc<Identity>,
    /// The digest of the manifest that it runs.
    pub manifest: Digest,
    /// The key of every member, by node.
    pub members: Vec<PublicKey>,
    /// What nodes pass on: blocks or averages.
    pub style: Style,
    /// Which nodes hear which, round by round.
    pub topology: Arc<dyn Topology>,
    /// The shape of valid frames.
    pub grammar: Grammar,
    /// The gradient value that one unit on the wire stands for.
    pub unit: f64,
    /// T, the number of rounds. Rounds are numbered from 0, so no cost is taken from round T on.
    pub horizon: u64,
    /// The privacy plan, which seals costs.
    pub plan: Arc<Plan>,
    /// Whether a ledger is within the budget.
    pub affords: Box<dyn Fn(&Ledger) -> bool + Send + Sync>,
}

impl NodeTerms {
    /// The terms of member `me` in an experiment, with its share of the budget. None without a network, or without whole units.
    pub fn of(
        run: &RunConfig,
        me: usize,
        identity: Arc<Identity>,
        members: Vec<PublicKey>,
        manifest: Digest,
    ) -> Option<Self> {
        let (plan, within) = (run.spec.shared_plan(), run.spec.shared_plan());
        Some(Self {
            me,
            identity,
            manifest,
            members,
            style: run.spec.style(),
            topology: Arc::clone(&run.spec.network()?.topology),
            grammar: Grammar::of(run),
            unit: plan.unit()?,
            horizon: run.split.rounds,
            affords: Box::new(move |ledger| within.affords(me, ledger)),
            plan,
        })
    }
}

/// The record that a node makes durable before it sends anything of a round: all it needs to go on after a crash.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The epoch of the node.
    pub epoch: u64,
    /// The round that was learned from.
    pub round: u64,
    /// The entry that is sent.
    pub entry: Entry,
    /// The newest entries of other nodes, and before them those of older epochs that they replaced. If one of these nodes
    /// restarts from an old copy of its store, its peers must show it what it has released. If there are no blocks, this also
    /// holds the node's own token of the round before, which is sent again.
    pub others: Vec<Entry>,
    /// The learner after this round.
    pub saved: Saved,
}

/// An event that a machine is told.
pub enum Happened<'a> {
    /// The cost of the next round was revealed.
    Cost(&'a dyn Objective),
    /// The record is durable.
    Durable,
    /// A peer sent a message.
    Heard {
        /// The peer. The link has proved its key.
        from: usize,
        /// The message.
        bytes: &'a [u8],
    },
    /// The costs of all rounds before this one will never come: the next cost is for this round.
    Skip(u64),
    /// A new link to a peer. The peer may lack everything that was sent before.
    Connected(usize),
    /// The last link to a peer has ended. Rounds do not wait for it.
    Gone(usize),
    /// Some time has passed. The machine repeats messages that may have been lost, also when no costs come.
    Tick,
    /// The deadline of this round has passed. Peers that have not been heard are no longer waited for.
    Late,
}

/// An instruction of a machine.
#[derive(Clone, PartialEq)]
pub enum Todo {
    /// Make this record durable, then report [`Happened::Durable`]. Until then the machine takes no cost.
    Store(Box<Record>),
    /// Send a message to a peer. It may be lost.
    Send {
        /// The peer.
        to: usize,
        /// The message.
        bytes: Vec<u8>,
    },
    /// Commit the node's block of a round's decision.
    Decide {
        /// The round.
        round: u64,
        /// The block.
        block: Vec<f64>,
    },
    /// Count a refused message.
    Refuse {
        /// The peer that sent it.
        from: usize,
        /// The reason.
        why: Refusal,
    },
    /// Report that the budget allows no release in this round or later.
    Exhausted(u64),
    /// Report that a peer holds a release of this node that is not in its store: the store is an old copy. The lost releases are
    /// charged. If blocks are relayed, a new epoch begins; otherwise the node releases nothing more.
    Overtaken(Box<Entry>),
}

/// The state machine of one node.
pub trait Machine: Send {
    /// Takes an event and returns the instructions that follow from it.
    fn on(&mut self, happened: Happened<'_>) -> Vec<Todo>;

    /// What nodes pass on: blocks or averages.
    fn style(&self) -> Style;

    /// The current round: its cost comes next, or it waits for peers.
    fn round(&self) -> u64;

    /// Whether a cost would be taken now.
    fn ready(&self) -> bool;

    /// Whether it waits for peers. [`Happened::Late`] ends the wait.
    fn waits(&self) -> bool;

    /// The round that half of the peers say they have reached. A node behind it takes its costs without a pause.
    fn reached(&self) -> u64;

    /// The epoch of the node.
    fn epoch(&self) -> u64;

    /// The learner.
    fn learner(&self) -> &dyn Durable;

    /// The newest signed copy of every known block, if blocks are relayed.
    fn known(&self) -> &[Option<Entry>];

    /// The epoch and version of each of them.
    fn versions(&self) -> Vec<(u64, u64)> {
        self.known().iter().map(|entry| entry.as_ref().map_or((0, 0), at)).collect()
    }

    /// How many rounds the oldest known block is behind, if blocks are relayed. This counts blocks that the node has heard,
    /// also those that its decision will use only after the next cost.
    fn staleness(&self) -> Option<u64> {
        let behind = self.versions().iter().map(|(_, version)| self.round().saturating_sub(*version)).max();
        behind.filter(|_| self.style().relays())
    }

    /// Whether the budget allows no more releases.
    fn exhausted(&self) -> bool;

    /// Whether it is halted: it releases nothing more, because other processes or lost stores have released under its key.
    fn stopped(&self) -> bool;

    /// Whether a peer says that it has a newer release of this node than the node itself. The node should then wait for that
    /// release before it makes one.
    fn forgets(&self) -> bool {
        false
    }
}

impl NodeTerms {
    /// Whether the budget allows a release in round `t`.
    fn allow(&self, learning: &Learning, t: u64) -> bool {
        (self.affords)(&learning.foresee(t))
    }

    /// The node's block of the learner's decision.
    fn decided(&self, round: u64, learning: &Learning) -> Todo {
        let before: usize = self.grammar.blocks[..self.me].iter().sum();
        let size = self.grammar.blocks[self.me];
        Todo::Decide { round, block: learning.estimate()[before..before + size].to_vec() }
    }

    /// The entries of a record, by node: its own entry, and the entries of others with valid signatures. The last one of each node
    /// is the newest.
    fn known(&self, own: Entry, others: Vec<Entry>) -> (Vec<Option<Entry>>, FormerReleases) {
        let (mut known, mut former) = (vec![None; self.members.len()], FormerReleases::default());
        for entry in others {
            let owner = entry.content.owner as usize;
            let whole = self.members.get(owner).is_some_and(|key| entry.is_by(key, &self.manifest));
            let place = known.get_mut(owner).filter(|_| whole);
            if let Some(old) = place.and_then(|place| place.replace(entry))
                && owner != self.me
            {
                former.keep(old);
            }
        }
        known[self.me] = Some(own);
        (known, former)
    }
}

/// The known entries of other nodes.
fn others(known: &[Option<Entry>], me: usize) -> Vec<Entry> {
    known.iter().flatten().filter(|entry| entry.content.owner as usize != me).cloned().collect()
}

/// Epoch and version, which order the entries of one owner.
pub(crate) fn at(entry: &Entry) -> (u64, u64) {
    (entry.content.epoch, entry.content.version)
}

/// The round that at least half of the other nodes have reached. A few lying peers cannot change it.
fn half_of(rounds: &[u64], me: usize) -> u64 {
    let mut others: Vec<u64> = rounds.iter().enumerate().filter(|(k, _)| *k != me).map(|(_, r)| *r).collect();
    others.sort_unstable();
    others.get(others.len().saturating_sub(1) / 2).copied().unwrap_or(0)
}
