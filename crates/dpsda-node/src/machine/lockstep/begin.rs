//! The start of a lock-step node, new or from its last record.

use std::collections::{BTreeMap, BTreeSet};

use dpsda::learner::{Durable, Standing};

use super::hands::Hand;
use super::{Lockstep, PATIENCE, Phase};
use crate::entry::Digest;
use crate::machine::former::FormerReleases;
use crate::machine::lives::OtherLives;
use crate::machine::{Learning, NodeTerms, Record, Style, Todo};

impl Lockstep {
    /// A new node. None if the learner does not fit the terms.
    pub fn new(terms: NodeTerms, learner: Box<dyn Durable>) -> Option<(Self, Vec<Todo>)> {
        let learning = Learning::new(learner, terms.me);
        let mut node = Self::start(terms, learning)?;
        let mut todo = vec![node.decided()];
        if !node.relays() {
            node.phase = Phase::Beginning; // its first message is noise, and must be the same after a crash
            todo.extend(node.store());
        }
        Some((node, todo))
    }

    /// A node that goes on from its last record, in that round and with the same messages. `made` lists the releases of that
    /// epoch by round, from the store. None if the record is not this node's.
    pub fn resume(
        terms: NodeTerms,
        learner: Box<dyn Durable>,
        record: Record,
        made: Vec<(u64, Digest)>,
    ) -> Option<(Self, Vec<Todo>)> {
        let Record { epoch, round, entry, others, saved } = record;
        let own = entry.content.owner as usize == terms.me
            && entry.is_by(&terms.identity.public(), &terms.manifest)
            && round <= terms.horizon;
        let books = match &saved.standing {
            Standing::Gossip { books, .. } => books.clone(),
            Standing::Relay { .. } | Standing::RelayAuto { .. } => None,
        };
        let mut learning = Learning::new(learner, terms.me);
        if !own || !learning.restore(saved) {
            return None;
        }
        let mut node = Self::start(terms, learning)?;
        (node.epoch, node.round, node.patience) = (epoch, round, PATIENCE);
        for (round, digest) in made {
            node.lives.make(epoch, round + u64::from(node.relays()), digest);
        }
        node.lives.make(entry.content.epoch, entry.content.version, entry.digest());
        node.before = others.iter().find(|before| before.content.owner == entry.content.owner).cloned();
        (node.known, node.former) = node.terms.known(entry, others);
        node.seen.clone_from(&node.known);
        node.back = node.relays().then(|| node.blocks());
        let mut todo = vec![node.decided()];
        if epoch > 0 && !node.relays() {
            node.phase = Phase::Stopped; // it once restarted from an old store, and has paid for it
            return Some((node, todo));
        }
        if (1..node.terms.horizon).contains(&round)
            && !node.relays()
            && !node.terms.allow(&node.learning, round)
        {
            node.exhausted = true;
            todo.push(Todo::Exhausted(round));
        }
        if node.relays() {
            todo.extend(node.speak());
            return Some((node, todo));
        }
        // A peer that still waits for the round before is sent that round's message again, or the later sum of its link.
        let books = books?;
        if let Some(last) = node.before.clone() {
            node.tell(&last, books.sent.iter());
        }
        for (from, round, ..) in books.heard {
            node.rounds.get_mut(from).map(|known| *known = round).unwrap_or_default();
        }
        Some((node, todo))
    }

    fn start(terms: NodeTerms, mut learning: Learning) -> Option<Self> {
        let nodes = terms.members.len();
        let dim: usize = terms.grammar.blocks.iter().sum();
        let fits =
            nodes == terms.grammar.blocks.len() && terms.me < nodes && learning.estimate().len() == dim;
        let speaks = match terms.style {
            Style::Relay => learning.copies().len() == nodes,
            Style::Average => true,
            Style::Model | Style::Central => false, // nodes do not run these
        };
        if !fits || !speaks {
            return None;
        }
        Some(Self {
            epoch: 0,
            round: 0,
            phase: Phase::Decided,
            heard: vec![Hand::default(); nodes],
            said: BTreeMap::new(),
            known: vec![None; nodes],
            seen: vec![None; nodes],
            former: FormerReleases::default(),
            before: None,
            theirs: vec![vec![(0, 0); nodes]; nodes],
            rounds: vec![0; nodes],
            gone: BTreeSet::new(),
            silent: BTreeSet::new(),
            answered: BTreeSet::new(),
            exhausted: false,
            lives: OtherLives::default(),
            back: None,
            patience: 0,
            learning,
            terms,
        })
    }
}
