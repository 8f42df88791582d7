//! Who is reached, in windows and at all.

use serde::Serialize;

use crate::network::Graph;

/// Whether the graphs of a horizon connect everybody, strongly if they have directions.
///
/// ```
/// use dpsda::network::certificate::{Connectivity, certify};
/// use dpsda::network::{Cycle, Graph};
/// let one_way = Cycle::fixed(Graph::new(2, [(0, 1)])?);
/// let Connectivity::Never { from, to, .. } = certify(&one_way, None, true, 10).connectivity else { panic!() };
/// assert_eq!((from, to), (vec![1], vec![0]));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Connectivity {
    /// Every whole window of `length` rounds does, and no smaller length has this.
    Windows {
        /// `B`.
        length: u64,
        /// How many whole windows the horizon holds.
        count: u64,
    },
    /// All links of the horizon together do, but only with round 0, which lies in no window: there is no `B`.
    NoWindow,
    /// Not even all links of the horizon together do.
    Never {
        /// No node of these...
        from: Vec<usize>,
        /// ...ever reaches one of those, over any number of links.
        to: Vec<usize>,
        /// The parts that are connected in themselves.
        components: Vec<Vec<usize>>,
    },
}

impl Connectivity {
    /// `B`, if there is one.
    pub fn window(&self) -> Option<u64> {
        match self {
            Self::Windows { length, .. } => Some(*length),
            _ => None,
        }
    }
}

/// When each link was seen last, and how far back each round must look to see everybody connected.
pub(super) struct Sightings {
    nodes: usize,
    /// `last[i n + j]` is `t + 1` if `i -> j` was last seen in round `t`, 0 if never.
    last: Vec<u64>,
    /// `since[t] = s + 1`, `s` being the latest round with rounds `s..=t` connected together; 0 if there is none.
    since: Vec<u64>,
}

impl Sightings {
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes, last: vec![0; nodes * nodes], since: Vec::new() }
    }

    /// The links of round `t`; rounds come in order from 0.
    pub(super) fn round(&mut self, t: u64, graph: &Graph) {
        for (i, j) in graph.links() {
            self.last[i * self.nodes + j] = t + 1;
        }
        // Later rounds never have to look further back, so all rounds together cost 2T searches.
        let mut since = self.since.last().copied().unwrap_or(0);
        while since < t + 1 && self.connected(since + 1) {
            since += 1;
        }
        self.since.push(since);
    }

    pub(super) fn connectivity(&self) -> Connectivity {
        let rounds = self.since.len();
        if self.nodes <= 1 {
            return Connectivity::Windows { length: 1, count: rounds.saturating_sub(1) as u64 };
        }
        // Rounds a..=b are connected iff since[b] > a; window k is rounds (k-1)B+1..=kB.
        let holds = |b: &usize| (*b..rounds).step_by(*b).all(|end| self.since[end] > (end - b + 1) as u64);
        match (1..rounds).find(holds) {
            Some(b) => Connectivity::Windows { length: b as u64, count: ((rounds - 1) / b) as u64 },
            None if self.connected(1) => Connectivity::NoWindow,
            None => self.never(),
        }
    }

    fn never(&self) -> Connectivity {
        let mut components: Vec<Vec<usize>> = Vec::new();
        let mut closed: Option<Vec<usize>> = None;
        for i in 0..self.nodes {
            if components.iter().any(|c| c.contains(&i)) {
                continue;
            }
            let (reached, reaching) = (self.search(i, 1, false), self.search(i, 1, true));
            let component: Vec<usize> = (0..self.nodes).filter(|j| reached[*j] && reaching[*j]).collect();
            if closed.is_none() && reached.iter().filter(|r| **r).count() == component.len() {
                closed = Some(component.clone());
            }
            components.push(component);
        }
        // Some component sends nothing out of itself: following links from one to the next cannot go in circles.
        let from = closed.unwrap_or_default();
        let to = (0..self.nodes).filter(|j| !from.contains(j)).collect();
        Connectivity::Never { from, to, components }
    }

    /// Whether the links seen at `stamp` or later connect everybody, there and back.
    fn connected(&self, stamp: u64) -> bool {
        let all =
            |backwards| self.nodes == 0 || self.search(0, stamp, backwards).into_iter().all(|seen| seen);
        all(false) && all(true)
    }

    /// Whom `start` reaches over links seen at `stamp` or later, or by whom it is reached.
    fn search(&self, start: usize, stamp: u64, backwards: bool) -> Vec<bool> {
        let n = self.nodes;
        let mut seen = vec![false; n];
        seen[start] = true;
        let mut open = vec![start];
        while let Some(i) = open.pop() {
            for (j, seen) in seen.iter_mut().enumerate().filter(|(_, seen)| !**seen) {
                let link = if backwards { j * n + i } else { i * n + j };
                if self.last[link] >= stamp {
                    *seen = true;
                    open.push(j);
                }
            }
        }
        seen
    }
}
