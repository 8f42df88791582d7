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
    /// To whom each node ever had a link, and from whom.
    onward: Vec<Vec<SeenLink>>,
    back: Vec<Vec<SeenLink>>,
    /// `since[t] = s + 1` for the latest round `s` such that rounds `s..=t` together connect all nodes; 0 if there is none.
    since: Vec<u64>,
}

/// A link of a node. A node's links are in the order of the other nodes.
#[derive(Clone, Copy)]
struct SeenLink {
    other: usize,
    /// `t + 1` for the last round `t` in which it was seen.
    last: u64,
}

impl Sightings {
    pub(super) fn new(nodes: usize) -> Self {
        let none = vec![Vec::new(); nodes];
        Self { nodes, onward: none.clone(), back: none, since: Vec::new() }
    }

    /// The links of round `t`, and whom each node hears; rounds come in order from 0.
    pub(super) fn round(&mut self, t: u64, graph: &Graph, heard: &[Vec<usize>]) {
        for (i, (onward, back)) in self.onward.iter_mut().zip(&mut self.back).enumerate() {
            see(onward, graph.out(i).iter().copied(), t + 1);
            see(back, heard[i].iter().copied().filter(|from| *from != i), t + 1);
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
            let (reached, reaching) = (self.search(i, 1, &self.onward), self.search(i, 1, &self.back));
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
        let all = |links| self.nodes == 0 || self.search(0, stamp, links).into_iter().all(|seen| seen);
        all(&self.onward) && all(&self.back)
    }

    /// The nodes that `start` reaches over these links, if they were seen at `stamp` or later.
    fn search(&self, start: usize, stamp: u64, links: &[Vec<SeenLink>]) -> Vec<bool> {
        let mut seen = vec![false; self.nodes];
        seen[start] = true;
        let (mut open, mut left) = (vec![start], self.nodes - 1);
        while let Some(i) = open.pop() {
            for link in &links[i] {
                if !seen[link.other] && link.last >= stamp {
                    seen[link.other] = true;
                    open.push(link.other);
                    left -= 1;
                }
            }
            if left == 0 {
                break;
            }
        }
        seen
    }
}

/// Notes links to these nodes, which are in order.
fn see(links: &mut Vec<SeenLink>, others: impl Iterator<Item = usize>, last: u64) {
    let mut place = 0;
    for other in others {
        place += links[place..].partition_point(|link| link.other < other);
        match links.get_mut(place).filter(|link| link.other == other) {
            Some(link) => link.last = last,
            None => links.insert(place, SeenLink { other, last }),
        }
    }
}
