//! The outcome of an experiment: every finished trial, and regret against the best decisions in hindsight.

use std::collections::BTreeMap;
use std::sync::Arc;

use dpsda::cost::CostSequence;
use dpsda::metric::{Finished, Id, MetricNumbers, Metrics, ModelKind, Trials, fitness};
use dpsda::regret::Precision;

use crate::Experiment;
use crate::engine::TrialRecord;
use crate::hindsight::{self, Hindsight};
use crate::memory::Memory;

/// A finished trial with its scores.
pub struct Done {
    /// Its results.
    pub trial: TrialRecord,
    /// The scores of its models.
    pub scores: MetricNumbers,
}

impl Done {
    pub(crate) fn new(trial: TrialRecord, metrics: &Metrics, costs: &dyn CostSequence) -> Self {
        let models = [(ModelKind::Last, &trial.last[..]), (ModelKind::Averaged, &trial.averaged[..])];
        let scores = hindsight::scores(metrics, &models, costs);
        Self { trial, scores }
    }
}

/// The finished trials of one run.
pub struct Run {
    /// The index of the run.
    pub index: usize,
    /// By trial.
    pub trials: BTreeMap<u32, Done>,
    /// The largest certified gap of a best decision that regret was measured against.
    pub gap: f64,
    /// Whether all those gaps are within the tolerance.
    pub certified: bool,
    /// The least mean cost of one decision for all trials together, if any trial finished.
    common: Option<f64>,
    problem: usize,
}

/// The outcome of an experiment.
pub struct Outcome {
    /// One per run of the sweep.
    pub runs: Vec<Run>,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
    hindsight: BTreeMap<(usize, u32), Arc<Hindsight>>,
}

impl Outcome {
    pub(crate) fn new(experiment: &Experiment, of_run: Vec<usize>, interrupted: bool) -> Self {
        debug_assert_eq!(experiment.runs.len(), of_run.len());
        let run = |(index, problem)| Run {
            index,
            trials: BTreeMap::new(),
            gap: 0.0,
            certified: true,
            common: None,
            problem,
        };
        Self {
            runs: of_run.into_iter().enumerate().map(run).collect(),
            interrupted,
            hindsight: BTreeMap::new(),
        }
    }

    pub(crate) fn add_hindsight(&mut self, problem: usize, trial: u32, found: Arc<Hindsight>) {
        self.hindsight.insert((problem, trial), found);
    }

    pub(crate) fn add_trial(&mut self, run: usize, trial: u32, done: Done) {
        self.runs[run].trials.insert(trial, done);
    }

    /// Drops trials whose best decision was not found in time, then finds the best decision for all trials together (3).
    pub(crate) fn finish(&mut self, experiment: &Experiment, memory: &Memory) {
        for run in &mut self.runs {
            run.trials.retain(|trial, _| self.hindsight.contains_key(&(run.problem, *trial)));
            let trials: Vec<u32> = run.trials.keys().copied().collect();
            let Some(first) = trials.first().map(|trial| &self.hindsight[&(run.problem, *trial)].last) else {
                continue;
            };
            let config = &experiment.runs[run.index];
            let common = memory.pooled(&config.problem_identity, &trials, || {
                if trials.len() == 1 {
                    return first.clone(); // known already
                }
                let costs: Vec<_> = trials.iter().map(|trial| experiment.costs(run.index, *trial)).collect();
                hindsight::of_trials(&costs, experiment.rounds(run.index), config.spec.set(), &first.x)
            });
            run.common = Some(common.value);
            for found in trials.iter().map(|trial| &self.hindsight[&(run.problem, *trial)]) {
                run.gap = run.gap.max(found.gap);
                run.certified &= found.certified;
            }
            run.gap = run.gap.max(common.gap);
            run.certified &= common.certified;
        }
    }

    /// Warnings about the results: costs that became infinite or undefined, and best decisions that were not found to the
    /// tolerance.
    pub fn warnings(&self, experiment: &Experiment) -> Vec<String> {
        let mut warnings = Vec::new();
        for run in &self.runs {
            let name = format!("run {} ({})", run.index, experiment.runs[run.index].spec.algorithm().name());
            if let Some((trial, round)) =
                run.trials.iter().find_map(|(k, done)| Some((k, done.diverged_by()?)))
            {
                warnings.push(format!(
                    "{name}: the cost of trial {trial} is not a finite number from round {round} on: no mean or regret exists \
                     (use a smaller algorithm.step, a bounded set, or data of a smaller scale)"
                ));
            } else if !run.certified {
                let Precision { cost, share } = Precision::LAST;
                warnings.push(format!(
                    "{name}: the best decision in hindsight, and so the regret, is only known to {:.1e}, not to {cost:e} (1 + cost) \
                     and {share:e} of what the first decision costs more (use data of a smaller scale, or a smaller set)",
                    run.gap
                ));
            }
        }
        warnings
    }

    /// A finished trial as metrics read it.
    pub fn finished<'a>(&'a self, run: &'a Run, trial: u32) -> Option<Finished<'a>> {
        let (done, hindsight) = (run.trials.get(&trial)?, self.hindsight.get(&(run.problem, trial))?);
        Some(Finished {
            curves: &done.trial.curves,
            scores: &done.scores,
            best: &hindsight.scores,
            least: &hindsight.values,
            sequence: hindsight.sequence,
            spent: done.trial.spent,
        })
    }

    /// The finished trials of a run as metrics read them.
    pub fn trials<'a>(&'a self, experiment: &'a Experiment, run: &'a Run) -> Trials<'a> {
        let config = &experiment.runs[run.index];
        Trials {
            run: run.index as u64,
            algorithm: config.spec.algorithm().name(),
            mechanism: config.spec.plan().mechanism().name(),
            level: config.level,
            rounds: experiment.rounds(run.index),
            plan: config.spec.plan(),
            each: run.trials.keys().filter_map(|trial| self.finished(run, *trial)).collect(),
            common: run.common,
            gap: run.gap,
            metrics: &experiment.metrics,
        }
    }

    /// The value of a metric in every finished trial of a run that has one.
    pub fn values(&self, experiment: &Experiment, run: &Run, metric: impl Into<Id>) -> Vec<f64> {
        self.trials(experiment, run).values(metric)
    }

    /// The least mean cost over the first `rounds` rounds of a trial, if that is a checkpoint.
    pub fn least_cost(&self, run: &Run, trial: u32, rounds: u64) -> Option<f64> {
        let values = &self.hindsight.get(&(run.problem, trial))?.values;
        values.iter().find(|(t, _)| *t == rounds).map(|(_, value)| *value)
    }
}

impl Done {
    /// The round by which the mean cost was no longer finite, if it is not finite at the end.
    fn diverged_by(&self) -> Option<u64> {
        let curves = &self.trial.curves;
        curves.last(&fitness::LISTING).filter(|last| !last.is_finite())?;
        let costs = curves.get(&fitness::LISTING)?;
        let round = curves.rounds().iter().zip(costs).find(|(_, cost)| !cost.is_finite());
        round.map(|(round, _)| *round)
    }
}
