//! An experiment over two streams that differ in one round: how far one sample moves a decision, and what can be told from it.
//!
//! A decision is committed before its cost is seen, so `x(event)` is the same in both worlds and `x(event + 1)` is the first that
//! can differ. Two runs with the same noise tell how far one sample moves a decision. What an observer can tell takes many runs,
//! each with its own noise.

use std::ops::ControlFlow;

use dpsda::experiment::Cell;
use dpsda::rng::Seed;
use dpsda_audit::Arena;
use dpsda_audit::attack::{Membership, Stream, membership};
use dpsda_audit::bound::{self, Count};
use dpsda_sim::data::Draw;
use dpsda_sim::{Experiment, Progress, engine};
use dpsda_web::reproduction::Point;
use rayon::prelude::*;

use super::book::Effort;
use super::rows::{Ran, Row, count};

/// A figure shows so many rounds before the event, and as many from it on.
const SHOWN: usize = 20;

/// Two streams, and how often they are played.
pub(super) struct Worlds<'a> {
    pub(super) event: u64,
    pub(super) effort: &'a Effort,
    pub(super) confidence: f64,
    pub(super) progress: &'a Progress,
    /// Told of every run.
    pub(super) tick: &'a (dyn Fn(u64) + Sync),
}

/// The second shows another sample in the round of the event: the first one held out that is of the other kind.
struct Pair {
    draws: [Draw; 2],
    other: usize,
    /// The coordinate in which the two samples differ most.
    most: usize,
}

impl Pair {
    fn new(experiment: &Experiment, event: u64) -> Option<Self> {
        let (cell, draw) = (experiment.cells.first()?, experiment.draw(0, 0));
        let place = event as usize * cell.problem.batch;
        let (labels, row) = (&draw.samples.labels, *draw.train.get(place)?);
        let label = labels.get(row)?;
        let other = *draw.test.iter().find(|row| labels.get(**row).is_some_and(|l| l != label))?;
        let mut apart = vec![0.0; cell.blocks.dim()];
        for (row, sign) in [(row, 1.0), (other, -1.0)] {
            draw.samples.features.add_to(row, 0..apart.len(), sign, &mut apart);
        }
        let most = (0..apart.len()).max_by(|a, b| apart[*a].abs().total_cmp(&apart[*b].abs()))?;
        let mut changed = draw.clone();
        *changed.train.get_mut(place)? = other;
        Some(Self { draws: [draw, changed], other, most })
    }
}

impl Worlds<'_> {
    /// How many runs that is, for a bar.
    pub(super) fn games(effort: &Effort, experiment: &Experiment) -> u64 {
        experiment.cells.len() as u64 * u64::from(2 * effort.pairs + 4 * effort.runs)
    }

    /// Plays everything and adds what it finds to the rows; `None` if it was stopped, or the data are too short.
    pub(super) fn play(&self, experiment: &Experiment, ran: &mut Ran<'_>) -> Option<()> {
        let pair = Pair::new(experiment, self.event)?;
        for row in &mut ran.rows {
            self.cell(&pair, experiment.cells.get(row.run)?, row)?;
        }
        let samples = &pair.draws[0].samples;
        let seen = |row: &usize| {
            let mut first = [0.0];
            samples.features.add_to(*row, 0..1, 1.0, &mut first);
            first != [0.0]
        };
        let all = samples.labels.len();
        ran.games = self.effort.runs as usize;
        ran.words.extend([
            ("event", self.event.to_string()),
            ("next", (self.event + 1).to_string()),
            ("pairs", count(self.effort.pairs as usize, "pair")),
            ("runs", count(ran.games, "run")),
            ("confidence", format!("{:.0}", 100.0 * self.confidence)),
            ("samples", all.to_string()),
            ("first_seen", (0..all).filter(seen).count().to_string()),
            ("pixel", format!("row {}, column {}", pair.most / 28 + 1, pair.most % 28 + 1)),
        ]);
        Some(())
    }

    fn cell(&self, pair: &Pair, cell: &Cell, row: &mut Row) -> Option<()> {
        let Effort { pairs, runs, .. } = *self.effort;
        let event = self.event as usize;
        let decisions = |world, k| Some(self.run(pair, cell, world, k, cell.split.rounds)?.decisions);
        let same: Vec<[Vec<Vec<f64>>; 2]> = (0..pairs)
            .into_par_iter()
            .map(|k| Some([decisions(0, k)?, decisions(1, k)?]))
            .collect::<Option<_>>()?;
        let apart = |t: usize| {
            let one = move |[a, b]: &[Vec<Vec<f64>>; 2]| {
                Some(a.get(t)?.iter().zip(b.get(t)?).map(|(a, b)| a - b).collect::<Vec<f64>>())
            };
            same.iter().filter_map(one)
        };
        let before = apart(event).flatten().map(f64::abs).fold(0.0, f64::max);
        let first = apart(event + 1).filter_map(|d| Some(d.first()?.abs())).collect();
        let norm = apart(event + 1).map(|d| d.iter().map(|d| d * d).sum::<f64>().sqrt()).collect();

        // Runs of their own have trial numbers that no pair has. Nobody asks this of the floor.
        let after = |world, trial| {
            let models = self.run(pair, cell, world, trial, self.event + 1)?.last;
            let x = models.first()?;
            Some((*x.first()?, *x.get(pair.most)?))
        };
        let own: Vec<[(f64, f64); 2]> = (0..if cell.network.is_some() { runs } else { 0 })
            .into_par_iter()
            .map(|k| Some([after(0, pairs + 2 * k)?, after(1, pairs + 2 * k + 1)?]))
            .collect::<Option<_>>()?;
        let own_noise = own.iter().map(|[a, b]| (a.0 - b.0).abs()).collect();
        let point = |t: f64, value: f64| Point { t, value, band: None };
        let trace = |at: usize| {
            [0, 1].map(|world| {
                let run = same.first().map(|both| &both[world]);
                let rounds = event.saturating_sub(SHOWN)..event + SHOWN;
                rounds.filter_map(|t| Some(point(t as f64, *run?.get(t)?.get(at)?))).collect()
            })
        };
        let shares = [0, 1].map(|world| {
            let mut values: Vec<f64> = own.iter().map(|both| both[world].1).collect();
            values.sort_by(f64::total_cmp);
            let share = |k: usize| (k as f64 + 0.5) / values.len() as f64;
            values.iter().enumerate().map(|(k, value)| point(*value, share(k))).collect()
        });
        row.worlds.extend([("trace_first", trace(0)), ("trace_most", trace(pair.most)), ("shares", shares)]);
        let mut put = |name: &str, values: Vec<f64>| row.values.insert(name.into(), values);
        put("before", vec![before]);
        put("first", first);
        put("norm", norm);
        put("first_own_noise", own_noise);
        let promised = cell.plan.epsilon();
        put("promised", promised.into_iter().collect());
        if let Some(attack) = self.attack(pair, cell)? {
            let (low, high) = attack.interval(self.confidence);
            let half = attack.runs - attack.runs / 2;
            let hits = |share: f64| Count { hits: (share * half as f64).round() as u64, of: half };
            put("adversary_right", vec![attack.accuracy]);
            put("adversary_low", vec![low]);
            put("adversary_high", vec![high]);
            put("adversary_most", promised.map(|epsilon| Membership::ceiling(epsilon, 0.0)).into_iter().collect());
            let proved = bound::epsilon(hits(attack.found), hits(attack.wrongly), 0.0, self.confidence);
            put("epsilon_at_least", vec![proved]);
            row.facts.insert("statistic", attack.statistic.to_string());
        }
        Some(())
    }

    fn run(&self, pair: &Pair, cell: &Cell, world: usize, trial: u32, rounds: u64) -> Option<engine::Trial> {
        let learners = engine::learners(cell, Seed { seed: cell.seed, trial });
        let found = engine::run(cell, rounds, &pair.draws[world], learners, &mut [], &[], &|| self.going())?;
        (self.tick)(1);
        Some(found)
    }

    /// By the whole transcript, for an adversary who knows both samples and all other data; of noise alone, so that nothing is
    /// told where nothing is noised.
    fn attack(&self, pair: &Pair, cell: &Cell) -> Option<Option<Membership>> {
        let runs = u64::from(self.effort.runs);
        if cell.network.is_none() || cell.mechanism == "none" {
            (self.tick)(2 * runs);
            return Some(None);
        }
        let Draw { samples, train, .. } = &pair.draws[0];
        let (loss, batch) = (&*cell.problem.loss, cell.problem.batch);
        let data = Stream { samples, loss, rows: train.clone(), batch };
        let tick = |runs: u64| {
            (self.tick)(runs);
            self.going()
        };
        let arena = Arena::of(cell, self.event + 2);
        membership(&arena, &data, pair.other, self.event, (runs, cell.seed), &tick).map(Some)
    }

    fn going(&self) -> ControlFlow<()> {
        if self.progress.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
