//! The age of the blocks that relay (DPSDA-R) decides with. This follows its version vectors, without its numbers.
//!
//! What nodes know of a block does not depend on other blocks. So some blocks at a time are followed through many rounds. The versions
//! that all nodes have of them stay in the processor's second cache meanwhile.

use std::collections::VecDeque;

use fearless_simd::{Simd, dispatch};

use crate::network::transit::Transit;
use crate::wide;

/// The versions of as many blocks as a line of the cache holds. Nobody looks at so many rounds that 32 bits do not count them.
type Line = [u32; WIDTH];
const WIDTH: usize = 16;

/// About how many lines are followed at a time.
const TOGETHER: usize = 1 << 12;

/// Rounds wait to be followed together until they have this many links, or until their links take as much memory as the versions of all
/// blocks, which must be kept if more rounds come after them.
const WAITING: usize = 1 << 19;

pub(super) struct Versions {
    nodes: usize,
    waiting: Vec<Hearing>,
    /// How many links the waiting rounds have.
    links: usize,
    /// All blocks, once some rounds were followed and others come.
    strips: Vec<Strip>,
    /// The oldest of all versions.
    oldest: u32,
    staleness: u64,
}

/// Who hears whom in a round.
struct Hearing {
    t: u64,
    /// Whom each node hears in the round itself, node by node and without itself.
    from: Vec<usize>,
    /// Where the list of each node ends.
    ends: Vec<usize>,
    /// Messages that arrive later: receiver, sender, and how many rounds later.
    late: Vec<(usize, usize, usize)>,
}

/// The versions of some blocks.
struct Strip {
    /// The first block.
    first: usize,
    /// How many lines a node has.
    lines: usize,
    /// `version[i lines + k / WIDTH][k % WIDTH]`: how many releases of block `first + k` node `i` knows. Blocks that do not exist are never
    /// the oldest.
    version: Vec<Line>,
    /// Messages that arrive in this round and in the next ones: the receiver and the versions inside.
    flying: VecDeque<Vec<(usize, Vec<Line>)>>,
}

impl Versions {
    pub(super) fn new(nodes: usize) -> Self {
        let oldest = if nodes == 0 { u32::MAX } else { 0 };
        Self { nodes, waiting: Vec::new(), links: 0, strips: Vec::new(), oldest, staleness: 0 }
    }

    /// One round: decide, learn, exchange. `heard` are the messages that arrive, in this round or later.
    pub(super) fn round(&mut self, t: u64, heard: &[Vec<usize>], transit: &Transit) {
        let (mut all, mut ends, mut late) = (Vec::new(), Vec::with_capacity(heard.len()), Vec::new());
        for (to, heard) in heard.iter().enumerate() {
            for &from in heard.iter().filter(|from| **from != to) {
                match transit.arrival(t, from, to).map_or(0, |arrival| arrival - t) as usize {
                    0 => all.push(from),
                    rounds => late.push((to, from, rounds)),
                }
            }
            ends.push(all.len());
        }
        self.links += self.nodes + all.len() + late.len();
        self.waiting.push(Hearing { t, from: all, ends, late });
        if self.links > WAITING.max(self.nodes.saturating_mul(self.nodes) / 2) {
            self.follow(true);
        }
    }

    pub(super) fn staleness(mut self) -> u64 {
        self.follow(false);
        self.staleness
    }

    /// The oldest version that the last waiting round decides with, given the oldest ones after each of them.
    fn oldest_before_last(&self, after: &[u32]) -> u32 {
        after.iter().rev().nth(1).copied().unwrap_or(self.oldest)
    }

    /// Follows all blocks through the waiting rounds.
    fn follow(&mut self, more: bool) {
        let mut oldest = vec![u32::MAX; self.waiting.len()];
        let (mut strips, mut next) = (std::mem::take(&mut self.strips).into_iter(), Vec::new());
        let lines = (TOGETHER / self.nodes.max(1)).clamp(1, self.nodes.div_ceil(WIDTH).max(1));
        for first in (0..self.nodes).step_by(lines * WIDTH) {
            let mut strip = strips.next().unwrap_or_else(|| Strip::new(self.nodes, first, lines));
            for (round, oldest) in self.waiting.iter().zip(&mut oldest) {
                let least = dispatch!(wide::level(), simd => strip.round(simd, round, &mut next));
                *oldest = least.into_iter().fold(*oldest, u32::min);
            }
            if more {
                self.strips.push(strip);
            } else if self.oldest_before_last(&oldest) == 0 {
                break; // somebody has never heard of a block: nothing can be older
            }
        }
        for (round, oldest) in self.waiting.drain(..).zip(oldest) {
            self.staleness = self.staleness.max(round.t.saturating_sub(u64::from(self.oldest))); // decide
            self.oldest = oldest;
        }
        self.links = 0;
    }
}

impl Hearing {
    /// Whom each node hears.
    fn each(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.from[start..*end])
    }
}

impl Strip {
    fn new(nodes: usize, first: usize, lines: usize) -> Self {
        let there = |k: usize| if first + k < nodes { 0 } else { u32::MAX };
        let row = (0..lines).map(|line| std::array::from_fn(|k| there(line * WIDTH + k)));
        let version = row.collect::<Vec<Line>>().repeat(nodes);
        Self { first, lines, version, flying: VecDeque::new() }
    }

    /// Learn and exchange. The oldest versions afterwards. `next` is a place for the versions after the round: a node does not pass on
    /// in a round what arrives in it.
    #[inline(always)]
    fn round<S: Simd>(&mut self, _: S, heard: &Hearing, next: &mut Vec<Line>) -> Line {
        let (lines, version) = (self.lines, &mut self.version);
        next.resize(version.len(), Line::default());
        for (k, i) in (self.first..heard.ends.len()).take(lines * WIDTH).enumerate() {
            version[i * lines + k / WIDTH][k % WIDTH] = u32::try_from(heard.t + 1).unwrap_or(u32::MAX);
        }
        let mut least = [u32::MAX; WIDTH];
        let rows = next.chunks_exact_mut(lines).zip(version.chunks_exact(lines));
        for ((next, own), heard) in rows.zip(heard.each()) {
            for (k, (next, own)) in next.iter_mut().zip(own).enumerate() {
                *next = heard.iter().fold(*own, |mine, from| both(mine, version[from * lines + k], u32::max));
                least = both(least, *next, u32::min);
            }
        }
        let arrived = self.flying.pop_front().unwrap_or_default();
        for (to, from, rounds) in &heard.late {
            self.flying.resize_with(self.flying.len().max(*rounds), Vec::new);
            self.flying[rounds - 1].push((*to, version[from * lines..(from + 1) * lines].to_vec()));
        }
        if !arrived.is_empty() {
            for (to, theirs) in &arrived {
                let mine = next[to * lines..(to + 1) * lines].iter_mut();
                mine.zip(theirs).for_each(|(mine, theirs)| *mine = both(*mine, *theirs, u32::max));
            }
            least = next.iter().fold([u32::MAX; WIDTH], |least, line| both(least, *line, u32::min));
        }
        std::mem::swap(version, next);
        least
    }
}

#[inline(always)]
fn both(a: Line, b: Line, of: impl Fn(u32, u32) -> u32) -> Line {
    std::array::from_fn(|k| of(a[k], b[k]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::delay::FixedDelay;
    use crate::network::{ErdosRenyi, Exponential, Ring, Topology};
    use crate::rng::Seed;

    /// The same with whole tables, block by block.
    fn plainly(topology: &dyn Topology, late: usize, rounds: u64) -> u64 {
        let n = topology.nodes();
        let (mut now, mut sent, mut staleness) = (vec![vec![0; n]; n], VecDeque::new(), 0);
        for t in 0..rounds {
            let oldest = now.iter().flatten().min().copied().unwrap_or(0);
            staleness = staleness.max(t.saturating_sub(oldest));
            (0..n).for_each(|i| now[i][i] = t + 1);
            let all: Vec<(usize, Vec<u64>)> =
                topology.graph(t).links().map(|(from, to)| (to, now[from].clone())).collect();
            sent.push_back(all);
            if sent.len() > late {
                for (to, theirs) in sent.pop_front().into_iter().flatten() {
                    now[to].iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = theirs.max(*mine));
                }
            }
        }
        staleness
    }

    #[test]
    fn blocks_followed_some_at_a_time_and_some_rounds_at_a_time_are_as_old_as_all_together() {
        let random = ErdosRenyi::new(40, 0.1, Seed::new(1)).unwrap();
        let large = Exponential::new(300).unwrap(); // more than one strip
        let long = Ring::new(300).unwrap(); // nobody hears of all
        for (topology, rounds) in [(&random as &dyn Topology, 30), (&large, 20), (&long, 20)] {
            for late in [0, 2] {
                let transit = Transit::prompt().late(FixedDelay::new(late).unwrap());
                for pause in [1, 7, 100] {
                    let mut versions = Versions::new(topology.nodes());
                    for t in 0..rounds {
                        versions.round(t, &topology.graph(t).heard(), &transit);
                        if t % pause == pause - 1 {
                            versions.follow(true);
                        }
                    }
                    assert_eq!(
                        versions.staleness(),
                        plainly(topology, late as usize, rounds),
                        "{late} {pause}"
                    );
                }
            }
        }
    }
}
