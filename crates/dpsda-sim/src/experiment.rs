//! An experiment: read, checked, and carried out over all its runs and trials.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Deref};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dpsda::Error;
use dpsda::cost::CostSequence;
use dpsda::fleet::Fleet;
use dpsda::metric::{Metric, Metrics, Observers, Start};
use dpsda::regret::checkpoints;
use dpsda_config::RunConfig;
use dpsda_data::Prepared;
use rayon::prelude::*;

use crate::hindsight::{self, Hindsight};
use crate::memory::Memory;
use crate::outcome::{Done, Outcome};
use crate::room::results_fit;
use crate::{bounds, engine};

/// How many checkpoints of regret a curve has.
const CHECKPOINTS: usize = 20;
/// How many further points a curve has.
pub(crate) const POINTS: u64 = 200;

/// An experiment that is ready to run: all checks have passed.
pub struct Experiment {
    prepared: Prepared,
    /// The metrics to measure.
    pub metrics: Metrics,
}

/// An experiment that a host has read.
impl From<Prepared> for Experiment {
    fn from(prepared: Prepared) -> Self {
        Self { prepared, metrics: Metrics::default() }
    }
}

/// Its runs and their data.
impl Deref for Experiment {
    type Target = Prepared;

    fn deref(&self) -> &Prepared {
        &self.prepared
    }
}

/// How to run an experiment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Threads; 0: one per core.
    pub threads: usize,
}

impl Options {
    /// The number of threads on this machine.
    pub fn threads(self) -> usize {
        if self.threads > 0 {
            self.threads
        } else {
            std::thread::available_parallelism().map_or(1, usize::from)
        }
    }

    /// Does independent pieces of work in parallel; the results are in the order of the jobs.
    pub(crate) fn each<J: Sync, P: Send>(self, jobs: &[J], piece: impl Fn(&J) -> P + Sync) -> Vec<P> {
        self.on_threads(|| each(jobs, &piece))
    }

    /// Does work that may use all threads.
    fn on_threads<P: Send>(self, work: impl FnOnce() -> P + Send) -> P {
        match rayon::ThreadPoolBuilder::new().num_threads(self.threads()).build() {
            Ok(pool) => pool.install(work),
            Err(_) => work(), // no new threads: use the global pool, or this thread
        }
    }
}

fn each<J: Sync, P: Send>(jobs: &[J], piece: impl Fn(&J) -> P + Sync) -> Vec<P> {
    jobs.par_iter().with_max_len(1).map(&piece).collect()
}

/// How far an experiment is, and whether to stop it. Shared with the progress display.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    stop: AtomicBool,
}

impl Progress {
    /// Rounds done and rounds in all.
    pub fn now(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Asks to stop soon and keep what is finished.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was asked for.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn expect(&self, rounds: u64) {
        self.total.store(rounds, Ordering::Relaxed);
    }

    pub(crate) fn add(&self, rounds: u64) -> ControlFlow<()> {
        self.done.fetch_add(rounds, Ordering::Relaxed);
        if self.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// How good decisions are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// The average cost.
    pub fitness: f64,
    /// (2)/T, against the best decision in hindsight.
    pub regret_per_round: f64,
}

/// The pieces of work with the same costs, which are drawn once for all of them.
struct TrialGroup {
    problem: usize,
    trial: u32,
    jobs: Vec<Job>,
}

/// One piece of work.
enum Job {
    Hindsight,
    Trial { run: usize },
}

enum Piece {
    Hindsight(usize, u32, Arc<Hindsight>),
    Trial(usize, u32, Box<Done>),
}

impl Experiment {
    /// Reads an experiment; files it names are looked for in `base` first. `overrides` are `key=value`.
    pub fn load(text: &str, overrides: &[String], base: &Path) -> Result<Self, Error> {
        let prepared = Prepared::load(text, overrides, base)?;
        results_fit(&prepared.runs)?;
        Ok(prepared.into())
    }

    /// Adds a metric of the caller's own. Its columns follow those of the built-in metrics.
    pub fn measure(mut self, metric: Metric) -> Result<Self, Error> {
        self.metrics = self.metrics.with(metric)?;
        Ok(self)
    }

    /// The first run of every distinct problem, and the problem of each run.
    pub(crate) fn problems(&self) -> (Vec<usize>, Vec<usize>) {
        let mut first: Vec<usize> = Vec::new();
        let mut of_run = Vec::new();
        for (c, config) in self.runs.iter().enumerate() {
            let known = first.iter().position(|&f| self.runs[f].problem_identity == config.problem_identity);
            of_run.push(known.unwrap_or_else(|| {
                first.push(c);
                first.len() - 1
            }));
        }
        (first, of_run)
    }

    /// How good decisions made elsewhere are in the first trial of a run: one decision per round, from the first round.
    pub fn judge(&self, run: usize, decisions: &[Vec<f64>]) -> Judged {
        let (set, costs) = (self.runs[run].spec.set(), self.costs(run, 0));
        let cost = |(t, x): (u64, &Vec<f64>)| costs.cost(t).map_or(f64::NAN, |f| f.value(&f.enacted(x)));
        let total: f64 = (0..).zip(decisions).map(cost).sum();
        let (rounds, fitness) = (decisions.len() as u64, total / decisions.len() as f64);
        let go_on = || ControlFlow::Continue(());
        let best = hindsight::of_trial(&*costs, &[rounds], None, set, &self.metrics, &go_on);
        let least = best.and_then(|best| best.values.last().map(|(_, value)| *value)).unwrap_or(f64::NAN);
        Judged { fitness, regret_per_round: fitness - least }
    }

    /// Runs everything. Independent pieces run in parallel and are put together in order, so the outcome does not
    /// depend on the number of threads. After [`Progress::stop`] the outcome holds what was finished.
    pub fn run(&self, options: Options, progress: &Progress) -> Outcome {
        self.run_with(options, progress, &Memory::default())
    }

    /// The same, with best decisions in hindsight shared between experiments through `memory`.
    pub fn run_with(&self, options: Options, progress: &Progress, memory: &Memory) -> Outcome {
        let (problems, of_run) = self.problems();
        let trials = self.runs.iter().map(|c| c.trials).max().unwrap_or(0);
        let mut groups = Vec::new();
        for trial in 0..trials {
            for (problem, first) in problems.iter().enumerate() {
                let runs =
                    (0..self.runs.len()).filter(|c| of_run[*c] == problem && trial < self.runs[*c].trials);
                let runs: Vec<Job> = runs.map(|run| Job::Trial { run }).collect();
                if trial < self.runs[*first].trials || !runs.is_empty() {
                    let jobs = std::iter::once(Job::Hindsight).chain(runs).collect();
                    groups.push(TrialGroup { problem, trial, jobs });
                }
            }
        }
        let size = |job: &Job| match job {
            Job::Hindsight => 0, // not a round, and fast
            Job::Trial { run } => self.rounds(*run),
        };
        progress.expect(groups.iter().flat_map(|group| &group.jobs).map(size).sum());
        options.on_threads(|| {
            let pieces = each(&groups, |group| self.group(group, problems[group.problem], progress, memory));
            let mut outcome = Outcome::new(self, of_run, progress.stopped());
            for piece in pieces.into_iter().flatten().flatten() {
                match piece {
                    Piece::Hindsight(problem, trial, found) => outcome.add_hindsight(problem, trial, found),
                    Piece::Trial(run, trial, done) => outcome.add_trial(run, trial, *done),
                }
            }
            outcome.finish(self, memory);
            outcome
        })
    }

    fn group(
        &self,
        group: &TrialGroup,
        first: usize,
        progress: &Progress,
        memory: &Memory,
    ) -> Vec<Option<Piece>> {
        if progress.stopped() {
            return Vec::new();
        }
        let costs = self.costs(first, group.trial);
        each(&group.jobs, |job| self.piece(job, group, first, &*costs, progress, memory))
    }

    fn piece(
        &self,
        job: &Job,
        group: &TrialGroup,
        first: usize,
        costs: &dyn CostSequence,
        progress: &Progress,
        memory: &Memory,
    ) -> Option<Piece> {
        let trial = group.trial;
        if progress.stopped() {
            return None;
        }
        match *job {
            Job::Hindsight => {
                let config = &self.runs[first];
                let find = || {
                    let points = checkpoints(self.rounds(first), CHECKPOINTS);
                    let (dynamic, set) = (config.dynamic.as_ref(), config.spec.set());
                    hindsight::of_trial(costs, &points, dynamic, set, &self.metrics, &|| progress.add(0))
                };
                let found = memory.trial(&config.problem_identity, trial, find)?;
                Some(Piece::Hindsight(group.problem, trial, found))
            }
            Job::Trial { run: c } => {
                let (config, rounds) = (&self.runs[c], self.rounds(c));
                let fleet = config.spec.fleet(config.seed_of(trial));
                let start = start(config, &*fleet);
                let mut observers = Observers::new(self.metrics.iter(), &start);
                if config.record_bounds {
                    bounds::observe(config, costs, &*fleet, &mut observers);
                }
                let tick = || progress.add(1);
                let ran = engine::run(config, rounds, costs, fleet, observers, &points(rounds), &tick)?;
                Some(Piece::Trial(c, trial, Box::new(Done::new(ran, &self.metrics, costs))))
            }
        }
    }
}

/// What metrics are told before the first round.
pub(crate) fn start<'a>(config: &RunConfig, fleet: &'a dyn Fleet) -> Start<'a> {
    Start { classifies: config.problem.classifies(), measures: config.problem.measures(), fleet }
}

/// The rounds after which a curve has a point: all of a short run, some of a long one, and every checkpoint.
fn points(rounds: u64) -> Vec<u64> {
    let even = (1..=POINTS.min(rounds)).map(|k| k * rounds / POINTS.min(rounds));
    even.chain(checkpoints(rounds, CHECKPOINTS)).collect::<BTreeSet<_>>().into_iter().collect()
}
