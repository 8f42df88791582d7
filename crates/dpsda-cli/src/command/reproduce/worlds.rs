//! An experiment over two streams that differ in one round: how far one sample moves a decision, and what can be told from it.
//!
//! A decision is committed before its cost is seen, so `x(event)` is the same in both worlds and `x(event + 1)` is the first that
//! can differ. Runs with the same noise tell how far one sample moves it. An observer meets runs with noise of their own.

use std::sync::Arc;

use dpsda::metric::Observers;
use dpsda_audit::attack::{DataStream, Membership, membership};
use dpsda_audit::bound::{self, Frequency};
use dpsda_audit::{Arena, RunsDone};
use dpsda_config::RunConfig;
use dpsda_data::Draw;
use dpsda_sim::{Experiment, engine};
use dpsda_web::reproduction::{Effort, Ran, RunRow};
use dpsda_web::text::plural;
use rayon::prelude::*;

/// How many rounds a figure shows before the event, and from it on.
const SHOWN: usize = 20;

/// Where two streams differ, and how often they are played.
pub(super) struct Worlds<'a> {
    pub(super) event: u64,
    pub(super) effort: &'a Effort,
    pub(super) confidence: f64,
    /// It is called after every run, and may stop the rest.
    pub(super) done: &'a RunsDone<'a>,
}

/// The two streams, the sample that stands in the second, and the coordinate in which it differs most from the first's.
struct Pair {
    draws: [Draw; 2],
    other: usize,
    most: usize,
}

impl Pair {
    /// The second stream shows the first held-out sample with another label.
    fn new(experiment: &Experiment, event: u64) -> Option<Self> {
        let (config, draw) = (experiment.runs.first()?, experiment.draw(0, 0)?);
        let place = event as usize * config.problem.batch();
        let (labels, row) = (&draw.samples.labels, *draw.train.get(place)?);
        let other = *draw.test.iter().find(|other| labels.get(**other) != labels.get(row))?;
        let mut apart = vec![0.0; config.spec.blocks().dim()];
        draw.samples.features.add_to(row, 0..apart.len(), 1.0, &mut apart);
        draw.samples.features.add_to(other, 0..apart.len(), -1.0, &mut apart);
        let most = (0..apart.len()).max_by(|a, b| apart[*a].abs().total_cmp(&apart[*b].abs()))?;
        let mut changed = draw.clone();
        *changed.train.get_mut(place)? = other;
        Some(Self { draws: [draw, changed], other, most })
    }
}

/// How many runs that takes.
pub(super) fn games(effort: &Effort, experiment: &Experiment) -> u64 {
    experiment.runs.len() as u64 * u64::from(2 * effort.pairs + 4 * effort.runs)
}

impl Worlds<'_> {
    /// Plays everything and adds what it finds to the rows; `None` if it was stopped, or the data are too short.
    pub(super) fn play(&self, experiment: &Experiment, ran: &mut Ran<'_>) -> Option<()> {
        let pair = Pair::new(experiment, self.event)?;
        for row in &mut ran.rows {
            self.compare(&pair, experiment.runs.get(row.run as usize)?, row)?;
        }
        ran.words.extend([
            ("event", self.event.to_string()),
            ("next", (self.event + 1).to_string()),
            ("pairs", plural(self.effort.pairs.into(), "pair")),
            ("runs", plural(self.effort.runs.into(), "run")),
            ("confidence", format!("{:.0}", 100.0 * self.confidence)),
            ("pixel", format!("row {}, column {}", pair.most / 28 + 1, pair.most % 28 + 1)),
        ]);
        Some(())
    }

    fn compare(&self, pair: &Pair, config: &RunConfig, row: &mut RunRow) -> Option<()> {
        let (pairs, runs, event) = (self.effort.pairs, self.effort.runs, self.event as usize);
        // Pairs of runs with the same noise, decision by decision.
        let decisions = |world, k| Some(self.run(pair, config, world, k, config.split.rounds)?.decisions);
        let same = (0..pairs).into_par_iter().map(|k| Some([decisions(0, k)?, decisions(1, k)?]));
        let same: Vec<[Vec<Vec<f64>>; 2]> = same.collect::<Option<_>>()?;
        let apart = |t: usize| {
            let worlds = same.iter().filter_map(move |[a, b]| Some(a.get(t)?.iter().zip(b.get(t)?)));
            worlds.map(|both| both.map(|(a, b)| a - b).collect()).collect::<Vec<Vec<f64>>>()
        };
        let (before, after) = (apart(event), apart(event + 1));
        let norm = |d: &Vec<f64>| d.iter().map(|d| d * d).sum::<f64>().sqrt();
        // Runs with noise of their own have trial numbers that no pair has. The floor is left out: it sends nothing.
        let next = |world, trial| {
            let x = self.run(pair, config, world, trial, self.event + 1)?.last.into_iter().next()?;
            Some((*x.first()?, *x.get(pair.most)?))
        };
        let own = (0..if config.spec.network().is_some() { runs } else { 0 }).into_par_iter();
        let own = own.map(|k| Some([next(0, pairs + 2 * k)?, next(1, pairs + 2 * k + 1)?]));
        let own: Vec<[(f64, f64); 2]> = own.collect::<Option<_>>()?;

        let trace = |at: usize| {
            [0, 1].map(|world| {
                let rounds = event.saturating_sub(SHOWN)..event + SHOWN;
                rounds.filter_map(|t| Some((t as f64, *same.first()?[world].get(t)?.get(at)?))).collect()
            })
        };
        let shares = [0, 1].map(|world| {
            let mut values: Vec<f64> = own.iter().map(|both| both[world].1).collect();
            values.sort_by(f64::total_cmp);
            let share = |k: usize| (k as f64 + 0.5) / values.len() as f64;
            values.iter().enumerate().map(|(k, value)| (*value, share(k))).collect()
        });
        row.worlds = [("trace_first", trace(0)), ("trace_most", trace(pair.most)), ("shares", shares)].into();
        let promised = config.spec.plan().epsilon();
        let mut put = |name: &str, values: Vec<f64>| row.values.insert(name.to_owned(), values);
        put("before", vec![before.iter().flatten().map(|d| d.abs()).fold(0.0, f64::max)]);
        put("first", after.iter().filter_map(|d| Some(d.first()?.abs())).collect());
        put("norm", after.iter().map(norm).collect());
        put("first_own_noise", own.iter().map(|[a, b]| (a.0 - b.0).abs()).collect());
        put("promised", promised.into_iter().collect());
        put("runs_per_world", vec![runs.into()]);
        // Where nothing is noised there is nothing to tell.
        if config.spec.network().is_none() || config.spec.plan().mechanism().is_silent() {
            return (self.done)(2 * u64::from(runs)).is_continue().then_some(());
        }
        let attack = self.attack(pair, config)?;
        let (low, high) = attack.interval(self.confidence);
        let half = attack.runs - attack.runs / 2;
        let hits = |share: f64| Frequency { hits: (share * half as f64).round() as u64, of: half };
        let proved = bound::epsilon(hits(attack.found), hits(attack.wrongly), 0.0, self.confidence);
        put("adversary_right", vec![attack.accuracy]);
        put("adversary_low", vec![low]);
        put("adversary_high", vec![high]);
        put("adversary_most", promised.map(|e| Membership::ceiling(e, 0.0)).into_iter().collect());
        put("epsilon_at_least", vec![proved]);
        row.facts.insert("statistic", attack.statistic.to_owned());
        Some(())
    }

    fn run(
        &self,
        pair: &Pair,
        config: &RunConfig,
        world: usize,
        trial: u32,
        rounds: u64,
    ) -> Option<engine::TrialRecord> {
        let (fleet, own) = (config.spec.fleet(config.seed_of(trial)), config.problem.samples()?);
        let costs = pair.draws[world].clone().costs(Arc::clone(&own.loss), own.batch);
        let going = || (self.done)(0);
        let found = engine::run(config, rounds, &costs, fleet, Observers::default(), &[], &going)?;
        (self.done)(1).is_continue().then_some(found)
    }

    /// An adversary who knows both samples and all other data, and sees all that is emitted.
    fn attack(&self, pair: &Pair, config: &RunConfig) -> Option<Membership> {
        let Draw { samples, train, .. } = &pair.draws[0];
        let own = config.problem.samples()?;
        let (loss, rows, batch) = (&*own.loss, train.clone(), own.batch);
        let data = DataStream { samples, loss, rows, batch };
        let (arena, games) = (Arena::of(config, self.event + 2), (self.effort.runs.into(), config.seed));
        membership(&arena, &data, pair.other, self.event, games, self.done).ok()
    }
}
