//! What a node does, without doing it: a machine is told what happened, and says what to do.
//!
//! The order in which a release becomes public is a promise (docs/privacy.md): gradient, clip, noise; then one record of round,
//! entry, state and ledger is made durable; only then does the first byte leave. So the machine says [`Todo::Store`], and what
//! follows from the release it says after [`Happened::Durable`]. After a crash there is either a record, and the same bytes are
//! sent again, or there is none, and nothing left the host.

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

use learning::Learning;

pub use free::FreeRounds;
pub use lockstep::Lockstep;

/// What a node is given for good.
pub struct NodeTerms {
    /// Which node it is.
    pub me: usize,
    /// Its key.
    pub identity: Arc<Identity>,
    /// What it runs.
    pub manifest: Digest,
    /// The key of every member, by node.
    pub members: Vec<PublicKey>,
    /// What nodes pass on.
    pub style: Style,
    /// Which nodes hear which, round by round.
    pub topology: Arc<dyn Topology>,
    /// What honest frames look like.
    pub grammar: Grammar,
    /// What a unit on the wire stands for.
    pub unit: f64,
    /// T: no cost is taken from this round on, and no node can have been in it.
    pub horizon: u64,
    /// What costs are sealed for.
    pub plan: Arc<Plan>,
    /// Whether a ledger is within the budget.
    pub affords: Box<dyn Fn(&Ledger) -> bool + Send + Sync>,
}

impl NodeTerms {
    /// The terms of member `me` in an experiment, with its part of the budget. None without a network, or without whole units.
    pub fn of(
        cell: &RunConfig,
        me: usize,
        identity: Arc<Identity>,
        members: Vec<PublicKey>,
        manifest: Digest,
    ) -> Option<Self> {
        let (plan, within) = (cell.spec.shared_plan(), cell.spec.shared_plan());
        Some(Self {
            me,
            identity,
            manifest,
            members,
            style: cell.spec.style(),
            topology: Arc::clone(&cell.spec.network()?.topology),
            grammar: Grammar::of(cell),
            unit: plan.unit()?,
            horizon: cell.split.rounds,
            affords: Box::new(move |ledger| within.affords(me, ledger)),
            plan,
        })
    }
}

/// What a node makes durable before it says anything of a round: all it needs to go on.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Which life of the node.
    pub epoch: u64,
    /// The round that was learned from.
    pub round: u64,
    /// What is sent.
    pub entry: Entry,
    /// The newest entries of other nodes: if one of them comes back with an old store, its peers must remember. Where there are no
    /// blocks, also the own token of the round before, which is said again.
    pub others: Vec<Entry>,
    /// The learner after it.
    pub saved: Saved,
}

/// What happened.
pub enum Happened<'a> {
    /// The cost of the next round was revealed.
    Cost(&'a dyn Objective),
    /// The record that was to be stored is durable.
    Durable,
    /// A peer sent this.
    Heard {
        /// Which peer: the link has proved it.
        from: usize,
        /// What.
        bytes: &'a [u8],
    },
    /// The costs of all rounds before this one are not to be had: the next is of this round.
    Skip(u64),
    /// A link to a peer was made. The peer may lack anything that was said before.
    Connected(usize),
    /// The last link to a peer is gone: it is not waited for.
    Gone(usize),
    /// Some time has passed: the machine says again what may have been lost, also when no costs come.
    Tick,
    /// Peers that have not been heard in this round are no longer waited for.
    Late,
}

/// What to do.
#[derive(Clone, PartialEq)]
pub enum Todo {
    /// Make this durable, then say so. Until then no further cost is taken.
    Store(Box<Record>),
    /// Send these bytes to a peer. They may be lost.
    Send {
        /// Which peer.
        to: usize,
        /// What.
        bytes: Vec<u8>,
    },
    /// The node's block of the decision of a round is committed.
    Decide {
        /// The round.
        round: u64,
        /// The block.
        block: Vec<f64>,
    },
    /// Something was refused.
    Refuse {
        /// Which peer sent it.
        from: usize,
        /// Why.
        why: Refusal,
    },
    /// The budget does not allow a release of this round: nothing more is released.
    Exhausted(u64),
    /// This node's block is known elsewhere as its store does not have it: the store is an old one. What it has forgotten is charged.
    /// Where blocks are relayed, a new epoch begins. Elsewhere the node releases nothing more.
    Overtaken(Box<Entry>),
}

/// One node.
pub trait Machine: Send {
    /// What to do now that this happened.
    fn on(&mut self, happened: Happened<'_>) -> Vec<Todo>;

    /// What nodes pass on.
    fn style(&self) -> Style;

    /// The round whose cost comes next, or whose end is awaited.
    fn round(&self) -> u64;

    /// Whether a cost would be taken now.
    fn ready(&self) -> bool;

    /// Whether it waits for peers, and [`Happened::Late`] would end that.
    fn waits(&self) -> bool;

    /// The round that half of the peers say they have reached. A node behind it takes its costs without a pause.
    fn reached(&self) -> u64;

    /// Which life of the node.
    fn epoch(&self) -> u64;

    /// The learner.
    fn learner(&self) -> &dyn Durable;

    /// The newest signed copy of every block that it knows, where blocks are relayed.
    fn known(&self) -> &[Option<Entry>];

    /// The epoch and version of each of them.
    fn versions(&self) -> Vec<(u64, u64)> {
        self.known().iter().map(|entry| entry.as_ref().map_or((0, 0), at)).collect()
    }

    /// How many rounds the oldest block that it knows is behind, where blocks are relayed. This counts what it has heard, not what
    /// it last decided from: that waits for the next cost.
    fn staleness(&self) -> Option<u64> {
        let behind = self.versions().iter().map(|(_, version)| self.round().saturating_sub(*version)).max();
        behind.filter(|_| self.style().relays())
    }

    /// Whether the budget allows no more releases.
    fn exhausted(&self) -> bool;

    /// Whether it releases nothing more, because of what other lives of it have released.
    fn stopped(&self) -> bool;

    /// Whether a peer says that it has a newer release of this node than the node itself: before anything is released, its proof is
    /// worth waiting for.
    fn forgets(&self) -> bool {
        false
    }
}

impl NodeTerms {
    /// Whether the budget allows a learner a release of round `t`.
    fn allow(&self, learning: &Learning, t: u64) -> bool {
        (self.affords)(&learning.foresee(t))
    }

    /// The node's block of what a learner has decided.
    fn decided(&self, round: u64, learning: &Learning) -> Todo {
        let before: usize = self.grammar.blocks[..self.me].iter().sum();
        let size = self.grammar.blocks[self.me];
        Todo::Decide { round, block: learning.estimate()[before..before + size].to_vec() }
    }

    /// By node: the own entry of a record, and the entries of others whose signatures hold.
    fn known(&self, own: Entry, others: Vec<Entry>) -> Vec<Option<Entry>> {
        let mut known = vec![None; self.members.len()];
        for entry in others {
            let owner = entry.content.owner as usize;
            let whole = self.members.get(owner).is_some_and(|key| entry.is_by(key, &self.manifest));
            if let Some(place) = known.get_mut(owner).filter(|_| whole) {
                *place = Some(entry);
            }
        }
        known[self.me] = Some(own);
        known
    }
}

/// Of all that is known, what is others'.
fn others(known: &[Option<Entry>], me: usize) -> Vec<Entry> {
    known.iter().flatten().filter(|entry| entry.content.owner as usize != me).cloned().collect()
}

/// What orders the entries of one owner.
pub(crate) fn at(entry: &Entry) -> (u64, u64) {
    (entry.content.epoch, entry.content.version)
}

/// The round that at least half of the others are in: a few liars do not move it.
fn half_of(rounds: &[u64], me: usize) -> u64 {
    let mut others: Vec<u64> = rounds.iter().enumerate().filter(|(k, _)| *k != me).map(|(_, r)| *r).collect();
    others.sort_unstable();
    others.get(others.len().saturating_sub(1) / 2).copied().unwrap_or(0)
}
