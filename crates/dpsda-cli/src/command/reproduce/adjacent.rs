//! Table 5 and Fig. 6: the same experiment over two streams that differ in one round.
//!
//! The paper compares `x(400)` when `f_400` differs. A decision is committed before its cost is seen, so `x(400)` is the same
//! in both worlds and the first that can differ is `x(401)`. Run twice with the same noise, the difference tells how far one
//! sample moves a decision; what an observer can tell is a matter of many runs, each with noise of its own.

use std::ops::ControlFlow;

use dpsda::experiment::Cell;
use dpsda::metric::Observers;
use dpsda::rng::Seed;
use dpsda_audit::Arena;
use dpsda_audit::attack::{Membership, Stream, membership};
use dpsda_audit::bound::{self, Count};
use dpsda_config::Cell;
use dpsda_data::Draw;
use dpsda_sim::{Experiment, Progress, engine};
use rayon::prelude::*;

use super::parts::{Arm, Part};
use super::rows::Spread;

mod decided;
mod section;

pub(super) use section::section;

/// The round whose cost differs.
pub(super) const EVENT: u64 = 400;
/// Fig. 6 shows the rounds around it.
const SHOWN: std::ops::Range<usize> = 380..420;
/// Bounds hold with this confidence.
pub(super) const CONFIDENCE: f64 = 0.95;

/// How much is played.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Pairs of runs that share their noise.
    pub(super) pairs: u32,
    /// Runs a world that do not.
    pub(super) runs: u64,
}

/// What was found in one experiment.
pub(super) struct Worlds {
    pub(super) part: &'static Part,
    /// The coordinate in which the two samples differ most.
    pub(super) coordinate: usize,
    /// In how many samples the first coordinate is not 0.
    pub(super) first_seen: usize,
    pub(super) samples: usize,
    pub(super) effort: Effort,
    pub(super) cells: Vec<Apart>,
}

/// What was found in one cell.
pub(super) struct Apart {
    pub(super) algorithm: &'static str,
    /// The paper's label; with a promise, its epsilon.
    pub(super) label: f64,
    /// The largest difference in any coordinate of `x(400)`, over all pairs.
    pub(super) before: f64,
    /// `|x(401)_1 - x'(401)_1|`, same noise.
    pub(super) first: Option<Spread>,
    /// `|x(401) - x'(401)|` in the Euclidean norm, same noise.
    pub(super) norm: Option<Spread>,
    /// `|x(401)_1 - x'(401)_1|`, each run with its own noise.
    pub(super) free: Option<Spread>,
    /// `x(401)` at [`Worlds::coordinate`] in either world, sorted.
    pub(super) seen: [Vec<f64>; 2],
    /// The first coordinate around the event in either world, same noise; and [`Worlds::coordinate`].
    pub(super) traces: [[Vec<(f64, f64)>; 2]; 2],
    /// What an adversary who sees all that is emitted tells.
    pub(super) attack: Option<Membership>,
}

impl Apart {
    /// With [`CONFIDENCE`], epsilon is at least this.
    pub(super) fn bound(&self) -> Option<f64> {
        let attack = self.attack?;
        let half = attack.runs - attack.runs / 2;
        let count = |share: f64| Count { hits: (share * half as f64).round() as u64, of: half };
        Some(bound::epsilon(count(attack.found), count(attack.wrongly), 0.0, CONFIDENCE))
    }
}

/// The two streams.
struct Pair {
    worlds: [Draw; 2],
    other: usize,
}

impl Pair {
    /// In the second, round [`EVENT`] shows the first digit held out that is of the other kind.
    fn new(experiment: &Experiment, c: usize) -> Option<Self> {
        let cell = &experiment.cells[c];
        let seed = Seed { seed: cell.seed, trial: 0 };
        let draw = experiment.source(c).draw(seed, cell.split.train, cell.split.test, cell.problem.shuffle);
        let place = EVENT as usize * cell.problem.batch;
        let label = *draw.samples.labels.get(*draw.train.get(place)?)?;
        let other =
            *draw.test.iter().find(|row| draw.samples.labels.get(**row).is_some_and(|l| *l != label))?;
        let mut changed = draw.clone();
        *changed.train.get_mut(place)? = other;
        Some(Self { worlds: [draw, changed], other })
    }

    /// The pixels in which the two samples differ, and by how much.
    fn apart(&self, cell: &Cell) -> Vec<f64> {
        let mut apart = vec![0.0; cell.spec.blocks().dim()];
        let place = EVENT as usize * cell.problem.batch;
        for (draw, sign) in self.worlds.iter().zip([1.0, -1.0]) {
            if let Some(row) = draw.train.get(place) {
                draw.samples.features.add_to(*row, 0..apart.len(), sign, &mut apart);
            }
        }
        apart
    }
}

/// How many runs that is, for a bar.
pub(super) fn work(experiment: &Experiment, effort: Effort) -> u64 {
    experiment.cells.len() as u64 * (2 * u64::from(effort.pairs) + 4 * effort.runs)
}

/// Plays everything; `None` if it was stopped, or the data are too short.
pub(super) fn play(
    part: &'static Part,
    experiment: &Experiment,
    effort: Effort,
    progress: &Progress,
    tick: &(dyn Fn(u64) + Sync),
) -> Option<Worlds> {
    let pair = Pair::new(experiment, 0)?;
    let cell = experiment.cells.first()?;
    let apart = pair.apart(cell);
    let coordinate = (0..apart.len()).max_by(|a, b| apart[*a].abs().total_cmp(&apart[*b].abs()))?;
    let samples = &pair.worlds[0].samples;
    let first_seen = (0..samples.labels.len())
        .filter(|row| {
            let mut first = [0.0];
            samples.features.add_to(*row, 0..1, 1.0, &mut first);
            first != [0.0]
        })
        .count();
    let stage = Stage { pair: &pair, coordinate, effort, progress, tick };
    let cells: Option<Vec<Apart>> = experiment.cells.iter().map(|cell| stage.cell(part, cell)).collect();
    Some(Worlds { part, coordinate, first_seen, samples: samples.labels.len(), effort, cells: cells? })
}

struct Stage<'a> {
    pair: &'a Pair,
    coordinate: usize,
    effort: Effort,
    progress: &'a Progress,
    tick: &'a (dyn Fn(u64) + Sync),
}

impl Stage<'_> {
    fn cell(&self, part: &Part, cell: &Cell) -> Option<Apart> {
        let pairs: Option<Vec<[Vec<Vec<f64>>; 2]>> = (0..self.effort.pairs)
            .into_par_iter()
            .map(|k| Some([self.decisions(cell, 0, k)?, self.decisions(cell, 1, k)?]))
            .collect();
        let pairs = pairs?;
        let event = EVENT as usize;
        let difference = |t: usize| {
            pairs.iter().map(move |[a, b]| {
                let (a, b) =
                    (a.get(t).map_or(&[][..], Vec::as_slice), b.get(t).map_or(&[][..], Vec::as_slice));
                a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>()
            })
        };
        let before = difference(event).flatten().map(f64::abs).fold(0.0, f64::max);
        let first: Vec<f64> = difference(event + 1).filter_map(|d| d.first().map(|d| d.abs())).collect();
        let norm: Vec<f64> =
            difference(event + 1).map(|d| d.iter().map(|d| d * d).sum::<f64>().sqrt()).collect();

        // Runs of their own: trial numbers that no pair has.
        let from = self.effort.pairs;
        let runs = if cell.network.is_some() { self.effort.runs as u32 } else { 0 }; // of the floor nobody asks
        let free: Option<Vec<[(f64, f64); 2]>> = (0..runs)
            .into_par_iter()
            .map(|k| Some([self.after(cell, 0, from + 2 * k)?, self.after(cell, 1, from + 2 * k + 1)?]))
            .collect();
        let free = free?;
        let apart: Vec<f64> = free.iter().map(|[a, b]| (a.0 - b.0).abs()).collect();
        let sorted = |world: usize| {
            let mut values: Vec<f64> = free.iter().map(|both| both[world].1).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let trace = |world: usize, at: usize| -> Vec<(f64, f64)> {
            let run = pairs.first().map(|both| &both[world]);
            SHOWN.filter_map(|t| Some((t as f64, *run?.get(t)?.get(at)?))).collect()
        };
        Some(Apart {
            algorithm: cell.spec.algorithm().name(),
            label: if part.arm == Arm::Promise {
                cell.spec.plan().epsilon()?
            } else {
                cell.level.unwrap_or(f64::INFINITY)
            },
            before,
            first: Spread::of(&first),
            norm: Spread::of(&norm),
            free: Spread::of(&apart),
            seen: [sorted(0), sorted(1)],
            traces: [0, self.coordinate].map(|at| [trace(0, at), trace(1, at)]),
            attack: self.attack(cell)?,
        })
    }

    /// `x(0), ..., x(T-1)` in one world.
    fn decisions(&self, cell: &Cell, world: usize, trial: u32) -> Option<Vec<Vec<f64>>> {
        Some(self.run(cell, world, trial, cell.split.rounds)?.decisions)
    }

    /// `x(401)` in one world: its first coordinate and the one that differs most.
    fn after(&self, cell: &Cell, world: usize, trial: u32) -> Option<(f64, f64)> {
        let models = self.run(cell, world, trial, EVENT + 1)?.last;
        let x = models.first()?;
        Some((*x.first()?, *x.get(self.coordinate)?))
    }

    fn run(&self, cell: &Cell, world: usize, trial: u32, rounds: u64) -> Option<engine::Trial> {
        let learners = engine::learners(cell, Seed { seed: cell.seed, trial });
        let found = engine::run(
            cell,
            rounds,
            &self.pair.worlds[world],
            learners,
            Observers::default(),
            &[],
            &|| self.going(),
        )?;
        (self.tick)(1);
        Some(found)
    }

    /// The whole transcript, for whom knows both samples and all other data. Nothing to tell where nothing is noised.
    fn attack(&self, cell: &Cell) -> Option<Option<Membership>> {
        let skipped = cell.network.is_none() || cell.spec.plan().mechanism().name() == "none";
        if skipped {
            (self.tick)(2 * self.effort.runs);
            return Some(None);
        }
        let draw = &self.pair.worlds[0];
        let data = Stream {
            samples: &draw.samples,
            loss: &*cell.problem.loss,
            rows: draw.train.clone(),
            batch: cell.problem.batch,
        };
        let arena = Arena::of(cell, EVENT + 2);
        let tick = |runs: u64| {
            (self.tick)(runs);
            self.going()
        };
        let found = membership(&arena, &data, self.pair.other, EVENT, (self.effort.runs, cell.seed), &tick)?;
        Some(Some(found))
    }

    fn going(&self) -> ControlFlow<()> {
        if self.progress.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
