//! Whether an event moves the releases of all nodes or of one, and how prices over nodes follow from that.

use super::{Adjacency, Plan};
use crate::privacy::Price;
use crate::privacy::ledger::Person;

impl Plan {
    /// The price over all nodes. It is the sum if an event moves the releases of all nodes, and the maximum if it moves the release of
    /// one (`agent.rs` has the proof). Nodes with blocks of the same size have the same price.
    pub(super) fn joint(&self, of: impl Fn(&Self, usize) -> Price) -> Price {
        let add = |total: Price, (i, count)| match self.by_agent() {
            true => total.max(of(self, i)),
            false => total.and(of(self, i).times(count)),
        };
        self.groups().into_iter().fold(Price::default(), add)
    }

    /// Whether an event is one agent's: it moves one node's release only.
    pub(crate) fn by_agent(&self) -> bool {
        self.wanted.adjacency == Adjacency::Agent
    }

    /// The largest coordinate that the public part of a gradient may have, in units of the grid. Larger ones are cut off there, so
    /// that no sum over the run can overflow. None if gradients have no public part.
    pub fn public_bound(&self) -> Option<i64> {
        (self.by_agent() && self.clips.is_some()).then_some(self.room)
    }

    /// The first node of every size of block, and how many nodes have that size.
    pub(in crate::privacy) fn groups(&self) -> Vec<(usize, u64)> {
        let mut groups: Vec<(usize, u64)> = Vec::new();
        for (i, size) in self.sizes.iter().enumerate() {
            match groups.iter_mut().find(|(first, _)| self.sizes[*first] == *size) {
                Some((_, count)) => *count += 1,
                None => groups.push((i, 1)),
            }
        }
        groups
    }

    pub(super) fn person(&self) -> Option<Person> {
        let apart = self.wanted.adjacency != Adjacency::Example && !self.wanted.mechanism.is_correlated();
        // Nobody takes part in more events than there are. A person may be behind several agents.
        let most = match self.wanted.adjacency {
            Adjacency::Round => self.rounds,
            Adjacency::Agent => self.rounds.saturating_mul(self.sizes.len() as u64),
            Adjacency::Example => u64::MAX,
        };
        self.wanted.budget.events_per_person.map(|events| Person { events: events.min(most), apart })
    }
}
