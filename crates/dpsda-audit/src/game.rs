//! The game, played many times.

use std::ops::ControlFlow;

use dpsda::Error;
use dpsda::rng::{Purpose, Seed};
use rand::Rng;
use rayon::prelude::*;

use crate::adversary::Adversary;
use crate::bound::{self, Frequency};
use crate::canary::{Bait, Canary};
use crate::evidence::{Evidence, Question};
use crate::guess::{ByWorld, Guess};
use crate::host::{Host, Playing};
use crate::{Arena, STATISTICS, Unfinished};

/// How many runs one task of the thread pool plays.
const CHUNK: u64 = 256;

/// The event that the adversary looks for: one node's part of it, or all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// One node's part of the event. The worlds of the other nodes are random, so they reveal nothing about it. The adversary
    /// reads the whole transcript, and the claim is that node's.
    Node(usize),
    /// The event at all nodes together. If an event is an agent's, it is at one node: at each in turn, from run to run, and the
    /// adversary knows at which.
    All,
}

impl View {
    /// Refuses a node that does not exist.
    pub(crate) fn check(self, arena: &Arena) -> Result<(), Error> {
        match self {
            Self::Node(i) if i >= arena.nodes() => {
                let last = arena.nodes().saturating_sub(1);
                Err(Error::value("node", i, format!("there are {} nodes (use 0 to {last})", arena.nodes())))
            }
            _ => Ok(()),
        }
    }
}

/// A game for one kind of event.
pub struct Game<'a> {
    /// The arena of the game.
    pub arena: &'a Arena,
    /// The host that drives the nodes.
    pub host: &'a dyn Host,
    /// The event.
    pub canary: Canary,
    /// The round of the event.
    pub event: u64,
    /// The seed of all randomness.
    pub seed: u64,
}

/// The adversary's values in every run, by statistic and world.
pub struct Scores {
    /// The node of the event, or all nodes.
    pub view: View,
    pub(crate) statistics: Vec<ByWorld>,
}

/// The result of a game.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// The node of the event, or all nodes.
    pub view: View,
    /// The adversary's guess. None if no statistic told the worlds apart on the first half of the runs.
    pub guess: Option<Guess>,
    /// How often the guess named its world on the second half of the runs: in that world, and in the other.
    pub counts: Option<(Frequency, Frequency)>,
    /// The delta for which epsilon is measured.
    pub delta: f64,
}

impl Measured {
    /// The lower bound on epsilon with this confidence.
    pub fn epsilon(&self, confidence: f64) -> f64 {
        self.counts.map_or(0.0, |(more, less)| bound::epsilon(more, less, self.delta, confidence))
    }

    /// The name of the chosen statistic.
    pub fn statistic(&self) -> &'static str {
        self.guess.map_or("none", |guess| STATISTICS[guess.statistic])
    }
}

impl Game<'_> {
    /// Plays about `runs` runs per world for the events of all nodes at once. Each node's world is drawn by a coin, so one run
    /// counts for all nodes. `done` is told how many runs are done, and may stop the game.
    pub fn nodes(&self, runs: u64, done: &RunsDone<'_>) -> Result<Vec<Scores>, Unfinished> {
        let nodes = self.arena.nodes();
        let rows = self.rows(2 * runs, false, done, |_, worlds, nodes| {
            (worlds.to_vec(), nodes.iter().map(|node| node.map(|x| x as f32)).collect::<Vec<_>>())
        })?;
        let scores = |i: usize| {
            let mut statistics = vec![ByWorld::default(); STATISTICS.len()];
            for (worlds, evidence) in &rows {
                let world = usize::from(worlds[i]);
                statistics.iter_mut().zip(evidence[i]).for_each(|(s, x)| s[world].push(x));
            }
            Scores { view: View::Node(i), statistics }
        };
        Ok((0..nodes).map(scores).collect())
    }

    /// Plays `runs` runs per world for the event at all nodes together, or at each in turn if it is an agent's.
    pub fn all(&self, runs: u64, done: &RunsDone<'_>) -> Result<Scores, Unfinished> {
        let rows = self.rows(2 * runs, true, done, |run, worlds, nodes| {
            let (first, count) = self.together(run);
            let mut sum = Evidence::default();
            let events = nodes.iter().skip(first).take(count);
            events.for_each(|node| sum.iter_mut().zip(node).for_each(|(s, x)| *s += x));
            (worlds[first], sum.map(|x| x as f32))
        })?;
        let mut statistics = vec![ByWorld::default(); STATISTICS.len()];
        for (world, evidence) in rows {
            statistics.iter_mut().zip(evidence).for_each(|(s, x)| s[usize::from(world)].push(x));
        }
        Ok(Scores { view: View::All, statistics })
    }

    fn rows<R: Send>(
        &self,
        runs: u64,
        together: bool,
        done: &RunsDone<'_>,
        keep: impl Fn(u64, &[bool], &[Evidence]) -> R + Sync,
    ) -> Result<Vec<R>, Unfinished> {
        let chunk = |first: u64| -> Result<Vec<R>, Unfinished> {
            let adversary = Adversary::new(self.arena);
            let last = (first + CHUNK).min(runs);
            let rows: Result<Vec<R>, Error> = (first..last)
                .map(|run| {
                    let worlds = self.worlds(run, together);
                    Ok(keep(run, &worlds, &self.run(run, &worlds, &adversary)?))
                })
                .collect();
            match done(last - first) {
                ControlFlow::Continue(()) => Ok(rows?),
                ControlFlow::Break(()) => Err(Unfinished::Stopped),
            }
        };
        let chunks = (0..runs.div_ceil(CHUNK)).into_par_iter().map(|c| chunk(c * CHUNK));
        let chunks: Result<Vec<Vec<R>>, Unfinished> = chunks.collect();
        Ok(chunks?.into_iter().flatten().collect())
    }

    /// The nodes of the event in the game for all nodes: the first, and how many.
    fn together(&self, run: u64) -> (usize, usize) {
        match self.arena.by_agent() {
            true => ((run / 2) as usize % self.arena.nodes().max(1), 1),
            false => (0, self.arena.nodes()),
        }
    }

    /// The world of every node: drawn by a coin, or the same for all nodes and alternating from run to run.
    fn worlds(&self, run: u64, together: bool) -> Vec<bool> {
        if together {
            let (first, count) = self.together(run);
            let there = |i: usize| (first..first + count).contains(&i);
            return (0..self.arena.nodes()).map(|i| there(i) && run % 2 == 1).collect();
        }
        let mut stream = Seed::new(self.seed).stream(Purpose::Data, u64::MAX, run);
        (0..self.arena.nodes()).map(|_| stream.next_u32() & 1 == 1).collect()
    }

    fn run(&self, run: u64, worlds: &[bool], adversary: &Adversary<'_>) -> Result<Vec<Evidence>, Error> {
        let arena = self.arena;
        // The canary moves through the coordinates of a block from run to run, and the adversary knows where it is.
        let at = |i: usize| (run / 2) as usize % arena.own(i).len();
        let plant = |worlds: &dyn Fn(usize) -> bool| Bait::new(arena, self.canary, self.event, worlds, at);
        let seed = Seed::new(self.seed).trial(run as u32);
        let costs = plant(&|i| worlds[i]);
        let seen = self.host.play(Playing { arena, costs: &costs, event: self.event, seed })?;
        let (zero, one, bland) = (plant(&|_| false), plant(&|_| true), Bait::bland(arena));
        let ask = Question { worlds: [&zero, &one], bland: &bland, event: self.event };
        Ok((0..arena.nodes()).map(|i| adversary.evidence(&seen, &ask, i, at(i))).collect())
    }
}

/// A function that is told how many more runs are done, and returns whether to go on.
pub type RunsDone<'a> = dyn Fn(u64) -> ControlFlow<()> + Sync + 'a;

impl Scores {
    /// Chooses a guess on the first half of the runs and counts it on the second.
    pub fn measure(&self, delta: f64) -> Measured {
        let half = |second: bool| -> Vec<ByWorld> {
            let part = |column: &Vec<f32>| {
                let (a, b) = column.split_at(column.len() / 2);
                (if second { b } else { a }).to_vec()
            };
            self.statistics.iter().map(|columns| columns.each_ref().map(part)).collect()
        };
        let guess = Guess::choose(&half(false), delta, 1e-2);
        let counts = guess.map(|guess| guess.count(&half(true)));
        Measured { view: self.view, guess, counts, delta }
    }

    /// The values of a statistic in world 0 and in world 1.
    pub fn values(&self, statistic: usize) -> [&[f32]; 2] {
        self.statistics.get(statistic).map_or([&[], &[]], |columns| columns.each_ref().map(Vec::as_slice))
    }
}
