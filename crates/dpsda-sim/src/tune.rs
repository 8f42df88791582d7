//! Steps chosen on training data alone: a grid of them, scored on rounds held out of the training data.

use dpsda::metric::{Observers, Predictions, accuracy_progressive, fitness, mean};
use dpsda::score;
use dpsda_config::RunConfig;

use crate::experiment::start;
use crate::{Experiment, Options, Progress, engine};

/// The score that a step is chosen by. Less is better for costs, more for accuracies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Mean cost of the decisions made while learning: each is scored before its round is learned from.
    Online,
    /// Accuracy of the decisions made while learning, likewise.
    AccuracyOnline,
    /// Mean cost of the held-out rounds under the decision after the last round learned.
    Last,
    /// The same under the mean of the decisions made.
    Averaged,
    /// Accuracy on the held-out rounds of the decision after the last round learned.
    AccuracyLast,
    /// The same of the mean of the decisions made.
    AccuracyAveraged,
    /// Area under the ROC curve on the held-out rounds of the mean of the decisions made.
    AucAveraged,
}

impl By {
    /// All of them.
    const ALL: [Self; 7] = [
        Self::Online,
        Self::AccuracyOnline,
        Self::Last,
        Self::Averaged,
        Self::AccuracyLast,
        Self::AccuracyAveraged,
        Self::AucAveraged,
    ];

    /// Whether it scores predictions, and not costs.
    pub fn is_accuracy(self) -> bool {
        !matches!(self, Self::Online | Self::Last | Self::Averaged)
    }
}

/// One step of the grid, with the means over trials of all its scores.
#[derive(Debug, Clone)]
pub struct Tried {
    /// c.
    pub step: f64,
    scores: Vec<(By, f64)>,
}

impl Tried {
    /// Its score; none for an accuracy of a loss that does not classify, or an AUC of one class.
    pub fn score(&self, by: By) -> Option<f64> {
        self.scores.iter().find(|(known, _)| *known == by).map(|(_, score)| *score)
    }
}

/// The grid of steps, tried on one run.
#[derive(Debug, Clone)]
pub struct Tuned {
    /// The index of the run: the first of the runs that differ in their step alone.
    pub run: usize,
    /// How many of its rounds were learned from; the others were held out.
    pub learned: u64,
    /// In the order of the grid.
    pub tried: Vec<Tried>,
}

impl Tuned {
    /// The index of the best step in the grid; of equal scores, that of the smallest step.
    pub fn best(&self, by: By) -> Option<usize> {
        let sign = if by.is_accuracy() { -1.0 } else { 1.0 };
        let scored =
            self.tried.iter().enumerate().filter_map(|(k, t)| Some((k, sign * t.score(by)?, t.step)));
        let finite = scored.filter(|(_, score, _)| score.is_finite());
        finite.min_by(|a, b| a.1.total_cmp(&b.1).then(a.2.total_cmp(&b.2))).map(|(k, ..)| k)
    }
}

/// How many of `rounds` are learned from if this share is held out. At least one is learned from, and at least one is held out.
fn learned(rounds: u64, share: f64) -> Option<u64> {
    let held = ((rounds as f64 * share).round() as u64).max(1);
    rounds.checked_sub(held).filter(|learned| *learned > 0)
}

/// Tries every step of `grid` on every run, on the training data of the run's own trials. The last `share` of the rounds is
/// held out. The samples that the experiment itself holds out are not used. `None` if it was stopped. A run with a single round
/// is left out.
pub fn tune(
    experiment: &Experiment,
    grid: &[f64],
    share: f64,
    options: Options,
    progress: &Progress,
) -> Option<Vec<Tuned>> {
    let mut tuned: Vec<Tuned> = Vec::new();
    for (c, config) in experiment.runs.iter().enumerate() {
        let same = |t: &Tuned| alike(&experiment.runs[t.run], config);
        if let Some(learned) = learned(experiment.rounds(c), share).filter(|_| !tuned.iter().any(same)) {
            tuned.push(Tuned { run: c, learned, tried: Vec::new() });
        }
    }
    let jobs: Vec<(usize, f64, u32)> = tuned
        .iter()
        .enumerate()
        .flat_map(|(k, t)| {
            grid.iter()
                .flat_map(move |step| (0..experiment.runs[t.run].trials).map(move |trial| (k, *step, trial)))
        })
        .collect();
    progress.expect(jobs.iter().map(|(k, ..)| tuned[*k].learned).sum());
    let found =
        options.each(&jobs, |(k, step, trial)| attempt(experiment, &tuned[*k], *step, *trial, progress));
    let found: Vec<Tried> = found.into_iter().collect::<Option<_>>()?;
    let mut found = found.into_iter();
    for t in &mut tuned {
        let trials = experiment.runs[t.run].trials as usize;
        t.tried =
            grid.iter().map(|step| pooled(*step, &found.by_ref().take(trials).collect::<Vec<_>>())).collect();
    }
    Some(tuned)
}

/// Whether two runs differ in their step alone.
fn alike(a: &RunConfig, b: &RunConfig) -> bool {
    let rest = |config: &RunConfig| {
        let kept = config.settings.iter().filter(|(key, _)| !key.ends_with(".step"));
        kept.map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>()
    };
    a.algorithm.name == b.algorithm.name && rest(a) == rest(b)
}

fn attempt(
    experiment: &Experiment,
    tuned: &Tuned,
    step: f64,
    trial: u32,
    progress: &Progress,
) -> Option<Tried> {
    if progress.stopped() {
        return None;
    }
    let mut config = experiment.runs[tuned.run].clone();
    config.spec = config.spec.stepping(step);
    let costs = experiment.costs(tuned.run, trial);
    let held = costs.mean(tuned.learned..experiment.rounds(tuned.run));
    let fleet = config.spec.fleet(config.seed_of(trial));
    let start = start(&config, &*fleet);
    let online =
        [experiment.metrics.get(&fitness::LISTING), experiment.metrics.get(&accuracy_progressive::LISTING)];
    let observers = Observers::new(online.into_iter().flatten(), &start);
    let keep = [tuned.learned];
    let run = engine::run(&config, tuned.learned, &*costs, fleet, observers, &keep, &|| progress.add(1))?;
    // The mean over models, where every node has one of its own.
    let cost = |models: &[Vec<f64>]| {
        Some(mean(&models.iter().map(|x| held.value(&held.enacted(x))).collect::<Vec<_>>()))
    };
    let scored = |models: &[Vec<f64>], score: fn(&[f64], &[f64]) -> Option<f64>| {
        let one = |x: &Vec<f64>| Predictions::new(held.linear()?, x).classes(score);
        Some(mean(&models.iter().map(one).collect::<Option<Vec<_>>>()?))
    };
    let score = |by: By| {
        let score = match by {
            By::Online => run.curves.last(&fitness::LISTING),
            By::AccuracyOnline => run.curves.last(&accuracy_progressive::LISTING),
            By::Last => cost(&run.last),
            By::Averaged => cost(&run.averaged),
            By::AccuracyLast => scored(&run.last, score::accuracy),
            By::AccuracyAveraged => scored(&run.averaged, score::accuracy),
            By::AucAveraged => scored(&run.averaged, score::auc),
        };
        score.map(|score| (by, score))
    };
    Some(Tried { step, scores: By::ALL.into_iter().filter_map(score).collect() })
}

/// The means over trials of the scores that all of them have.
fn pooled(step: f64, trials: &[Tried]) -> Tried {
    let score = |by: By| {
        let all: Option<Vec<f64>> = trials.iter().map(|tried| tried.score(by)).collect();
        all.map(|all| (by, mean(&all)))
    };
    Tried { step, scores: By::ALL.into_iter().filter_map(score).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_is_learned_and_something_held_out_or_nothing_is_tried() {
        assert_eq!(learned(60, 0.2), Some(48));
        assert_eq!(learned(2, 0.01), Some(1));
        assert_eq!(learned(3, 0.99), None);
        assert_eq!(learned(1, 0.2), None);
    }

    #[test]
    fn of_equal_steps_the_smallest_is_best_and_a_step_without_a_finite_score_is_not_chosen() {
        let tried = |step, cost: f64, accuracy: f64| {
            let score = |by: By| match by {
                By::AucAveraged => 1.0 - accuracy,
                by if by.is_accuracy() => accuracy,
                _ => cost,
            };
            Tried { step, scores: By::ALL.map(|by| (by, score(by))).into() }
        };
        let tried = vec![tried(3.0, 0.5, 0.9), tried(1.0, 0.5, 0.8), tried(9.0, f64::NAN, f64::NAN)];
        let tuned = Tuned { run: 0, learned: 1, tried };
        assert_eq!(tuned.best(By::Last), Some(1));
        assert_eq!(tuned.best(By::AccuracyAveraged), Some(0));
        assert_eq!(tuned.best(By::AucAveraged), Some(1));
        assert_eq!(Tuned { tried: Vec::new(), ..tuned }.best(By::Online), None);
    }
}
