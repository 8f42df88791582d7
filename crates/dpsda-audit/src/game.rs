//! The game, played many times.

use std::ops::ControlFlow;

use dpsda::rng::{Purpose, Seed};
use rand::Rng;
use rayon::prelude::*;

use crate::adversary::Adversary;
use crate::bound::{self, Count};
use crate::canary::{Bait, Canary};
use crate::evidence::{Evidence, Question};
use crate::host::Host;
use crate::rule::{Columns, Rule};
use crate::{Arena, STATISTICS};

/// Runs that one piece of work plays.
const CHUNK: u64 = 256;

/// Whose event it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// One node's part of the event; the other nodes' parts are tossed, so they tell nothing of it. The whole transcript
    /// is read, and the claim is that node's.
    Node(usize),
    /// The event at all nodes, and all that anybody emitted.
    All,
}

/// One kind of event, to be played for.
pub struct Game<'a> {
    /// Where.
    pub arena: &'a Arena,
    /// By whom.
    pub host: &'a dyn Host,
    /// With what.
    pub canary: Canary,
    /// In which round.
    pub event: u64,
    /// Names the randomness.
    pub seed: u64,
}

/// What an adversary computed in every run, by statistic and world.
pub struct Scores {
    /// Whose event it was.
    pub view: View,
    pub(crate) statistics: Vec<Columns>,
}

/// What a game showed.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// Whose event it was.
    pub view: View,
    /// How the adversary guessed; none if nothing told the worlds apart on the first half of the runs.
    pub rule: Option<Rule>,
    /// How often its guess was made in the world it speaks for, and in the other; on the second half of the runs.
    pub counts: Option<(Count, Count)>,
    /// The delta that it was measured at.
    pub delta: f64,
}

impl Measured {
    /// With this confidence, epsilon is at least so much.
    pub fn epsilon(&self, confidence: f64) -> f64 {
        self.counts.map_or(0.0, |(more, less)| bound::epsilon(more, less, self.delta, confidence))
    }

    /// The statistic that won.
    pub fn statistic(&self) -> &'static str {
        self.rule.map_or("none", |rule| STATISTICS[rule.statistic])
    }
}

impl Game<'_> {
    /// Plays about `runs` runs a world for the event of every node at once: each node's world is tossed, so one run counts for
    /// all of them. `tick` is told of runs done and may break off, which gives `None`.
    pub fn nodes(&self, runs: u64, tick: &Tick<'_>) -> Option<Vec<Scores>> {
        let nodes = self.arena.nodes();
        let rows = self.rows(2 * runs, false, tick, |worlds, nodes| {
            (worlds.to_vec(), nodes.iter().map(|node| node.map(|x| x as f32)).collect::<Vec<_>>())
        })?;
        let scores = |i: usize| {
            let mut statistics = vec![Columns::default(); STATISTICS.len()];
            for (worlds, evidence) in &rows {
                let world = usize::from(worlds[i]);
                statistics.iter_mut().zip(evidence[i]).for_each(|(s, x)| s[world].push(x));
            }
            Scores { view: View::Node(i), statistics }
        };
        Some((0..nodes).map(scores).collect())
    }

    /// Plays `runs` runs a world for the event at all nodes.
    pub fn all(&self, runs: u64, tick: &Tick<'_>) -> Option<Scores> {
        let rows = self.rows(2 * runs, true, tick, |worlds, nodes| {
            let mut sum = Evidence::default();
            nodes.iter().for_each(|node| sum.iter_mut().zip(node).for_each(|(s, x)| *s += x));
            (worlds[0], sum.map(|x| x as f32))
        })?;
        let mut statistics = vec![Columns::default(); STATISTICS.len()];
        for (world, evidence) in rows {
            statistics.iter_mut().zip(evidence).for_each(|(s, x)| s[usize::from(world)].push(x));
        }
        Some(Scores { view: View::All, statistics })
    }

    fn rows<R: Send>(
        &self,
        runs: u64,
        together: bool,
        tick: &Tick<'_>,
        keep: impl Fn(&[bool], &[Evidence]) -> R + Sync,
    ) -> Option<Vec<R>> {
        let chunk = |first: u64| {
            let adversary = Adversary::new(self.arena);
            let last = (first + CHUNK).min(runs);
            let rows: Vec<R> = (first..last)
                .map(|run| {
                    let worlds = self.worlds(run, together);
                    keep(&worlds, &self.run(run, &worlds, &adversary))
                })
                .collect();
            match tick(last - first) {
                ControlFlow::Continue(()) => Some(rows),
                ControlFlow::Break(()) => None,
            }
        };
        let chunks: Option<Vec<Vec<R>>> =
            (0..runs.div_ceil(CHUNK)).into_par_iter().map(|c| chunk(c * CHUNK)).collect();
        chunks.map(|chunks| chunks.into_iter().flatten().collect())
    }

    /// The world of every node: tossed, or the same for all, every other run.
    fn worlds(&self, run: u64, together: bool) -> Vec<bool> {
        if together {
            return vec![run % 2 == 1; self.arena.nodes()];
        }
        let mut stream = Seed { seed: self.seed, trial: 0 }.stream(Purpose::Data, u64::MAX, run);
        (0..self.arena.nodes()).map(|_| stream.next_u32() & 1 == 1).collect()
    }

    fn run(&self, run: u64, worlds: &[bool], adversary: &Adversary<'_>) -> Vec<Evidence> {
        let arena = self.arena;
        // The canary goes round the coordinates of a block; where it is, everybody knows.
        let at = |i: usize| (run / 2) as usize % arena.own(i).len();
        let plant = |worlds: &dyn Fn(usize) -> bool| Bait::new(arena, self.canary, self.event, worlds, at);
        let seed = Seed { seed: self.seed, trial: run as u32 };
        let seen = self.host.play(arena, &plant(&|i| worlds[i]), self.event, seed);
        let (zero, one, bland) = (plant(&|_| false), plant(&|_| true), Bait::bland(arena));
        let ask = Question { worlds: [&zero, &one], bland: &bland, event: self.event };
        (0..arena.nodes()).map(|i| adversary.evidence(&seen, &ask, i, at(i))).collect()
    }
}

/// Is told how many more runs are done.
pub type Tick<'a> = dyn Fn(u64) -> ControlFlow<()> + Sync + 'a;

impl Scores {
    /// Chooses a rule on the first half of the runs and counts it on the second.
    pub fn measure(&self, delta: f64) -> Measured {
        let half = |second: bool| -> Vec<Columns> {
            let part = |column: &Vec<f32>| {
                let (a, b) = column.split_at(column.len() / 2);
                (if second { b } else { a }).to_vec()
            };
            self.statistics.iter().map(|columns| columns.each_ref().map(part)).collect()
        };
        let rule = Rule::choose(&half(false), delta, 1e-2);
        let counts = rule.map(|rule| rule.count(&half(true)));
        Measured { view: self.view, rule, counts, delta }
    }

    /// The values of a statistic in world 0 and in world 1.
    pub fn values(&self, statistic: usize) -> [&[f32]; 2] {
        self.statistics.get(statistic).map_or([&[], &[]], |columns| columns.each_ref().map(Vec::as_slice))
    }
}
