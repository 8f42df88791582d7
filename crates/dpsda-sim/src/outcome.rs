//! What came out: every finished trial, and regret against the best decisions in hindsight.

use std::collections::BTreeMap;
use std::sync::Arc;

use dpsda::regret::TOLERANCE;
use dpsda::score;

use crate::Experiment;
use crate::engine::Trial;
use crate::hindsight::{self, Hindsight};
use crate::memory::Memory;
use dpsda_data::Draw;

/// A finished trial with its scores.
pub struct Done {
    /// The run itself.
    pub trial: Trial,
    /// The names of the observers, in the order of their values.
    pub names: Vec<&'static str>,
    /// Accuracies and the like, by the name of their column.
    pub scores: Vec<(&'static str, f64)>,
}

impl Done {
    pub(crate) fn new(trial: Trial, names: Vec<&'static str>, draw: &Draw, classifies: bool) -> Self {
        let scores = if classifies { scores(&trial, draw) } else { Vec::new() };
        Self { trial, names, scores }
    }

    /// The value of an observer at the end.
    pub fn at_end(&self, name: &str) -> Option<f64> {
        let column = self.names.iter().position(|n| *n == name)?;
        self.trial.points.last().map(|(_, values)| values[column])
    }

    /// A score, or else what an observer says at the end, by the name of its column.
    pub fn score(&self, name: &str) -> Option<f64> {
        let score = self.scores.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
        score.or_else(|| self.at_end(name))
    }
}

/// The mean over models; a score that one of them does not have is left out.
fn scores(trial: &Trial, draw: &Draw) -> Vec<(&'static str, f64)> {
    let each: Vec<_> = trial
        .last
        .iter()
        .zip(&trial.averaged)
        .map(|(last, averaged)| model_scores(last, averaged, draw))
        .collect();
    let of = |(name, _): &(&'static str, f64)| {
        let value =
            |scores: &Vec<(&str, f64)>| scores.iter().find(|(n, _)| n == name).map(|(_, value)| *value);
        let values: Option<Vec<f64>> = each.iter().map(value).collect();
        values.map(|values| (*name, mean(&values)))
    };
    each.first().into_iter().flatten().filter_map(of).collect()
}

fn model_scores(last: &[f64], averaged: &[f64], draw: &Draw) -> Vec<(&'static str, f64)> {
    let on = |rows: &[usize], x: &[f64]| hindsight::predictions(draw, rows, x);
    let (train_last, labels) = on(&draw.train, last);
    let (train_averaged, _) = on(&draw.train, averaged);
    let (test_last, test_labels) = on(&draw.test, last);
    let (test_averaged, _) = on(&draw.test, averaged);
    let all = [
        ("accuracy_train_last", score::accuracy(&train_last, &labels)),
        ("accuracy_test_last", score::accuracy(&test_last, &test_labels)),
        ("accuracy_train_averaged", score::accuracy(&train_averaged, &labels)),
        ("accuracy_test_averaged", score::accuracy(&test_averaged, &test_labels)),
        ("balanced_accuracy_test_averaged", score::balanced_accuracy(&test_averaged, &test_labels)),
        ("auc_test_averaged", score::auc(&test_averaged, &test_labels)),
        ("majority_test", score::majority_rate(&test_labels)),
    ];
    all.into_iter().filter_map(|(name, value)| value.map(|value| (name, value))).collect()
}

/// One cell's finished trials.
pub struct Run {
    /// The cell.
    pub cell: usize,
    /// By trial.
    pub trials: BTreeMap<u32, Done>,
    /// (3)/T, if any trial finished.
    pub pseudo_regret: Option<f64>,
    /// The largest certified gap of a best decision that regret was measured against.
    pub gap: f64,
    /// Whether all those gaps are as small as promised.
    pub certified: bool,
    problem: usize,
}

/// All of it.
pub struct Outcome {
    /// One per cell.
    pub runs: Vec<Run>,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
    hindsight: BTreeMap<(usize, u32), Arc<Hindsight>>,
}

impl Outcome {
    pub(crate) fn new(experiment: &Experiment, of_cell: Vec<usize>, interrupted: bool) -> Self {
        debug_assert_eq!(experiment.cells.len(), of_cell.len());
        let run = |(cell, problem)| Run {
            cell,
            trials: BTreeMap::new(),
            pseudo_regret: None,
            gap: 0.0,
            certified: true,
            problem,
        };
        Self {
            runs: of_cell.into_iter().enumerate().map(run).collect(),
            interrupted,
            hindsight: BTreeMap::new(),
        }
    }

    pub(crate) fn add_hindsight(&mut self, problem: usize, trial: u32, found: Arc<Hindsight>) {
        self.hindsight.insert((problem, trial), found);
    }

    pub(crate) fn add_trial(&mut self, cell: usize, trial: u32, done: Done) {
        self.runs[cell].trials.insert(trial, done);
    }

    /// Drops trials whose best decision was not found in time, then (3): trials' mean cost against the best decision
    /// for that mean.
    pub(crate) fn finish(&mut self, experiment: &Experiment, memory: &Memory) {
        for run in &mut self.runs {
            run.trials.retain(|trial, _| self.hindsight.contains_key(&(run.problem, *trial)));
            let Some(start) =
                run.trials.keys().next().map(|trial| &self.hindsight[&(run.problem, *trial)].last)
            else {
                continue;
            };
            let trials: Vec<u32> = run.trials.keys().copied().collect();
            let cell = &experiment.cells[run.cell];
            let common = memory.pooled(&cell.problem_identity, &trials, || {
                let draws: Vec<_> = trials.iter().map(|trial| experiment.draw(run.cell, *trial)).collect();
                let (rounds, batch) = (experiment.rounds(run.cell), cell.problem.batch);
                hindsight::of_trials(&draws, rounds, batch, &*cell.problem.loss, cell.spec.set(), start)
            });
            let costs: Vec<f64> = run.trials.values().filter_map(|done| done.at_end("fitness")).collect();
            run.pseudo_regret = Some(mean(&costs) - common.value);
            for found in trials.iter().map(|trial| &self.hindsight[&(run.problem, *trial)]) {
                run.gap = run.gap.max(found.gap);
                run.certified &= found.certified;
            }
            run.gap = run.gap.max(common.gap);
            run.certified &= common.certified;
        }
    }

    /// What a user must know before believing a number: costs that left the numbers, best decisions that were not
    /// found as exactly as promised.
    pub fn warnings(&self, experiment: &Experiment) -> Vec<String> {
        let mut warnings = Vec::new();
        for run in &self.runs {
            let name = format!("run {} ({})", run.cell, experiment.cells[run.cell].spec.algorithm().name());
            let infinite =
                run.trials.iter().find(|(_, done)| done.at_end("fitness").is_some_and(|f| !f.is_finite()));
            if let Some((trial, done)) = infinite {
                let column = done.names.iter().position(|n| *n == "fitness").unwrap_or(0);
                let round =
                    done.trial.points.iter().find(|(_, v)| !v[column].is_finite()).map_or(0, |(t, _)| *t);
                warnings.push(format!(
                    "{name}: the cost of trial {trial} left the numbers by round {round}: no mean or regret exists \
                     (use a smaller algorithm.step, a bounded set, or data of a smaller scale)"
                ));
            } else if !run.certified {
                warnings.push(format!(
                    "{name}: the best decision in hindsight is only known to {:.1e}, not to the {TOLERANCE:e} (1 + cost) \
                     asked for, so its regrets are too (data of a smaller scale, or a smaller set, help)",
                    run.gap
                ));
            }
        }
        warnings
    }

    /// The least mean cost over the first `rounds` rounds of a trial, if that is a checkpoint.
    pub fn least_cost(&self, run: &Run, trial: u32, rounds: u64) -> Option<f64> {
        let values = &self.hindsight.get(&(run.problem, trial))?.values;
        values.iter().find(|(t, _)| *t == rounds).map(|(_, value)| *value)
    }

    /// A score of the best decision in hindsight of a trial: `accuracy_train_best`, `accuracy_test_best`, `auc_test_best`.
    pub fn best_score(&self, run: &Run, trial: u32, name: &str) -> Option<f64> {
        let scores = &self.hindsight.get(&(run.problem, trial))?.scores;
        scores.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    /// (2) of every finished trial at every checkpoint, not divided by the rounds done.
    pub fn curves(&self, run: &Run) -> Vec<Vec<(u64, f64)>> {
        let one = |(trial, done): (&u32, &Done)| {
            let column = done.names.iter().position(|n| *n == "fitness")?;
            let point = |(t, values): &(u64, Vec<f64>)| {
                Some((*t, (values[column] - self.least_cost(run, *trial, *t)?) * *t as f64))
            };
            Some(done.trial.points.iter().filter_map(point).collect())
        };
        run.trials.iter().filter_map(one).collect()
    }

    /// `(2)/T` or, for `averaged_fitness`, `(19)/T` of every finished trial, each against its own best decision.
    pub fn regrets(&self, run: &Run, of: &str) -> Vec<f64> {
        let one = |(trial, done): (&u32, &Done)| {
            let rounds = done.trial.points.last()?.0;
            Some(done.at_end(of)? - self.least_cost(run, *trial, rounds)?)
        };
        run.trials.iter().filter_map(one).collect()
    }
}

/// The mean.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation over trials; none for a single one.
pub(crate) fn deviation(values: &[f64]) -> Option<f64> {
    let m = mean(values);
    let squares: f64 = values.iter().map(|v| (v - m) * (v - m)).sum();
    (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt())
}
