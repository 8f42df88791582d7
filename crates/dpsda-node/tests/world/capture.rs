//! The record of an eavesdropper on every link, who also reads every decision.
//!
//! Relays send their releases unchanged. A node that averages sends shares of its dual, which reveal the dual up to a few units
//! of the grid. Here the whole dual is recorded as soon as any share of it was sent, and also the dual after mixing, which
//! follows from the messages that arrived. So this adversary knows a little more than an eavesdropper.

use std::collections::{BTreeMap, BTreeSet};

use dpsda::learner::{Body, Message, Replica};
use dpsda::network::Degree;
use dpsda::privacy::Released;
use dpsda_audit::{Arena, Transcript};
use dpsda_node::entry::Entry;

#[derive(Default)]
pub(crate) struct Capture {
    /// By owner and version: all different entries, in the order in which they were first seen.
    entries: BTreeMap<(usize, u64), Vec<Entry>>,
    /// How often an entry was seen again.
    pub(crate) repeats: u64,
    /// The blocks that a node knew when it made its record of a round.
    known: BTreeMap<(usize, u64), Vec<Option<Entry>>>,
    /// If duals are averaged, by node and round: the dual after mixing, and the released dual that is sent in that round.
    duals: BTreeMap<(usize, u64), (Released, Released)>,
    /// The rounds of which some message was sent.
    spoken: BTreeSet<(usize, u64)>,
    /// `y_i(t)` as in the first decision.
    estimates: BTreeMap<(usize, u64), Vec<f64>>,
}

impl Capture {
    /// One entry of a message.
    pub(crate) fn sees(&mut self, entry: &Entry) {
        let key = (entry.content.owner as usize, entry.content.version);
        let all = self.entries.entry(key).or_default();
        if all.iter().any(|known| known.content.sum == entry.content.sum) {
            self.repeats += 1;
        } else {
            all.push(entry.clone());
        }
    }

    /// A share of a dual.
    pub(crate) fn shares(&mut self, i: usize, round: u64) {
        self.repeats += u64::from(!self.spoken.insert((i, round)));
    }

    /// A dual that is durable.
    pub(crate) fn keeps(&mut self, i: usize, round: u64, mixed: &Released, dual: &Released) {
        let both = (mixed.clone(), dual.clone());
        let first = self.duals.entry((i, round)).or_insert_with(|| both.clone());
        assert_eq!(*first, both, "two duals of one round");
    }

    /// A record that may become durable.
    pub(crate) fn stores(&mut self, i: usize, round: u64, known: &[Option<Entry>]) {
        self.known.insert((i, round), known.to_vec());
    }

    /// A decision.
    pub(crate) fn decides(&mut self, i: usize, round: u64, estimate: &[f64]) {
        self.estimates.entry((i, round)).or_insert_with(|| estimate.to_vec());
    }

    /// Whether a release of node `i` was seen.
    pub(crate) fn has(&self, i: usize, version: u64) -> bool {
        self.entries.contains_key(&(i, version))
    }

    /// Whether every version of every node had only one content, however often it was seen.
    pub(crate) fn is_plain(&self) -> bool {
        self.entries.values().all(|all| all.len() == 1)
    }

    /// The same as a transcript for the auditor. The release of node `i` in round `t` is version `t + 1`.
    pub(crate) fn transcript(&self, arena: &Arena) -> Transcript {
        let (rounds, nodes) = (arena.played(), arena.nodes());
        let unit = arena.claimed.unit().unwrap();
        let mut seen = Transcript::default();
        let estimate = |t: u64, i: usize| {
            self.estimates.get(&(i, t)).cloned().unwrap_or_else(|| vec![0.0; arena.spec.blocks().dim()])
        };
        seen.estimates = (0..=rounds).map(|t| (0..nodes).map(|i| estimate(t, i)).collect()).collect();
        if arena.spec.style().averages() {
            let both = |t: u64, i: usize| self.duals.get(&(i, t)).filter(|_| self.spoken.contains(&(i, t)));
            let dual = |t: u64, i: usize| match both(t, i) {
                Some((_, dual)) => Body::Dual { dual: dual.clone(), weight: 1.0 },
                None => Body::Blocks(Vec::new()), // nothing was said
            };
            let from = |node| Degree { node, heard: 1, told: 1 };
            let message = |t: u64, i: usize| Message { from: from(i), body: dual(t, i) };
            seen.said = (0..=rounds).map(|t| (0..nodes).map(|i| message(t, i)).collect()).collect();
            let mixed = |t: u64, i: usize| both(t + 1, i).map(|(mixed, _)| mixed.clone());
            seen.mixed = (0..rounds).map(|t| (0..nodes).map(|i| mixed(t, i)).collect()).collect();
            return seen;
        }
        for t in 0..rounds {
            let first = |i: usize| self.message(t, i, self.all(t, i).first(), arena, unit);
            seen.said.push((0..nodes).map(first).collect());
            for i in 0..nodes {
                let more = self.all(t, i).iter().skip(1);
                seen.again.extend(more.map(|entry| (t, self.message(t, i, Some(entry), arena, unit))));
            }
        }
        seen
    }

    fn all(&self, t: u64, i: usize) -> &[Entry] {
        self.entries.get(&(i, t + 1)).map_or(&[], Vec::as_slice)
    }

    /// The message of node `i` about round `t`, with this as its own block.
    fn message(&self, t: u64, i: usize, own: Option<&Entry>, arena: &Arena, unit: f64) -> Message {
        let known = |k: usize| self.known.get(&(i, t)).and_then(|known| known[k].as_ref());
        let nothing = |k: usize| {
            let sum = Released::zeros_on_grid(arena.own(k).len(), unit);
            Replica { version: 0, sum: sum.into(), squares: None }
        };
        let copy = |k: usize| {
            let entry = if k == i { own } else { known(k) };
            entry.map_or_else(|| nothing(k), |entry| entry.copy(unit))
        };
        let copies = if own.is_some() { (0..arena.nodes()).map(copy).collect() } else { Vec::new() };
        Message { from: Degree { node: i, heard: 1, told: 1 }, body: Body::Blocks(copies) }
    }
}
