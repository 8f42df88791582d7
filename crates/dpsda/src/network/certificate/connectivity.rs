//! Connectivity: within windows, and over the whole horizon.

use serde::Serialize;

use crate::network::Graph;

/// Whether the graphs of a horizon connect all nodes; strongly, if they are directed.
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
    /// Every whole window of `length` rounds connects all nodes, and no smaller length has this property.
    Windows {
        /// `B`.
        length: u64,
        /// How many whole windows the horizon holds.
        count: u64,
    },
    /// All links of the horizon together connect all nodes, but only with those of round 0, which lies in no window. So
    /// there is no `B`.
    NoWindow,
    /// Not even all links of the horizon together connect all nodes.
    Never {
        /// No node of this list...
        from: Vec<usize>,
        /// ...ever reaches a node of this list, over any number of links.
        to: Vec<usize>,
        /// The connected components; strongly connected ones, if graphs are directed.
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

/// The last round of each link, and how far back each round must look until all nodes are connected.
pub(super) struct Sightings {
    nodes: usize,
    /// `last[i n + j]` is `t + 1` if `i -> j` was last seen in round `t`, 0 if never.
    last: Vec<u64>,
    /// To whom each node ever had a link, and from whom.
    onward: Vec<Vec<usize>>,
    back: Vec<Vec<usize>>,
    /// `since[t] = s + 1` for the latest round `s` such that rounds `s..=t` together connect all nodes; 0 if there is none.
    since: Vec<u64>,
}

impl Sightings {
    pub(super) fn new(nodes: usize) -> Self {
        let none = vec![Vec::new(); nodes];
        Self { nodes, last: vec![0; nodes * nodes], onward: none.clone(), back: none, since: Vec::new() }
    }

    /// The links of round `t`; rounds come in order from 0.
    pub(super) fn round(&mut self, t: u64, graph: &Graph) {
        for (i, j) in graph.links() {
            let last = &mut self.last[i * self.nodes + j];
            if *last == 0 {
                self.onward[i].push(j);
                self.back[j].push(i);
            }
            *last = t + 1;
        }
        // A later round never looks further back than an earlier one, so all rounds together cost 2T searches.
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
        // Some component has no outgoing link: following links between components cannot go in circles.
        let from = closed.unwrap_or_default();
        let to = (0..self.nodes).filter(|j| !from.contains(j)).collect();
        Connectivity::Never { from, to, components }
    }

    /// Whether the links seen at `stamp` or later connect all nodes, in both directions.
    fn connected(&self, stamp: u64) -> bool {
        let all =
            |backwards| self.nodes == 0 || self.search(0, stamp, backwards).into_iter().all(|seen| seen);
        all(false) && all(true)
    }

    /// The nodes that `start` reaches over links seen at `stamp` or later; `backwards`, the nodes that reach `start`.
    fn search(&self, start: usize, stamp: u64, backwards: bool) -> Vec<bool> {
        let n = self.nodes;
        let mut seen = vec![false; n];
        seen[start] = true;
        let mut open = vec![start];
        while let Some(i) = open.pop() {
            for &j in if backwards { &self.back[i] } else { &self.onward[i] } {
                let link = if backwards { j * n + i } else { i * n + j };
                if !seen[j] && self.last[link] >= stamp {
                    seen[j] = true;
                    open.push(j);
                }
            }
        }
        seen
    }
}
