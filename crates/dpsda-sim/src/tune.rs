//! Steps chosen on training data alone: a grid of them, scored on rounds held out of the training data.

use dpsda::learner::Step;
use dpsda::objective::{Batch, Objective};
use dpsda::rng::Seed;
use dpsda::score;
use dpsda_config::Cell;

use crate::outcome::mean;
use crate::{Experiment, Options, Progress, engine, hindsight, observer};

/// What a step is chosen by. Less is better for costs, more for accuracies.
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
    /// Whether it is about how often, or how well, predictions are right.
    pub fn is_accuracy(self) -> bool {
        !matches!(self, Self::Online | Self::Last | Self::Averaged)
    }
}

/// One step of the grid, with the means over trials of all that it may be chosen by.
#[derive(Debug, Clone)]
pub struct Tried {
    /// c.
    pub step: f64,
    online: f64,
    costs: [f64; 2],
    /// While learning, last, averaged.
    accuracies: Option<[f64; 3]>,
    /// Averaged; none where a class is missing.
    auc: Option<f64>,
}

impl Tried {
    /// Its score; none for an accuracy of a loss that does not classify, or an AUC of one class.
    pub fn score(&self, by: By) -> Option<f64> {
        match by {
            By::Online => Some(self.online),
            By::Last => Some(self.costs[0]),
            By::Averaged => Some(self.costs[1]),
            By::AccuracyOnline => self.accuracies.map(|a| a[0]),
            By::AccuracyLast => self.accuracies.map(|a| a[1]),
            By::AccuracyAveraged => self.accuracies.map(|a| a[2]),
            By::AucAveraged => self.auc,
        }
    }
}

/// The grid for one cell.
#[derive(Debug, Clone)]
pub struct Tuned {
    /// The cell: the first of those that differ in their step alone.
    pub cell: usize,
    /// How many of its rounds were learned; the rest of them were held out.
    pub learned: u64,
    /// In the order of the grid.
    pub tried: Vec<Tried>,
}

impl Tuned {
    /// The place of the best step in the grid; of equal ones the smallest step.
    pub fn best(&self, by: By) -> Option<usize> {
        let sign = if by.is_accuracy() { -1.0 } else { 1.0 };
        let scored =
            self.tried.iter().enumerate().filter_map(|(k, t)| Some((k, sign * t.score(by)?, t.step)));
        let finite = scored.filter(|(_, score, _)| score.is_finite());
        finite.min_by(|a, b| a.1.total_cmp(&b.1).then(a.2.total_cmp(&b.2))).map(|(k, ..)| k)
    }
}

/// How many of `rounds` are learned when this share of them is held out: at least one is, and at least one is not.
fn learned(rounds: u64, share: f64) -> Option<u64> {
    let held = ((rounds as f64 * share).round() as u64).max(1);
    rounds.checked_sub(held).filter(|learned| *learned > 0)
}

/// Tries every step of `grid` on every cell, on the training data of the cell's own trials: the last `share` of the
/// rounds is held out, and the samples that the experiment holds out are not looked at. `None` if it was stopped. A cell
/// with a single round is left out.
pub fn tune(
    experiment: &Experiment,
    grid: &[f64],
    share: f64,
    options: Options,
    progress: &Progress,
) -> Option<Vec<Tuned>> {
    let mut tuned: Vec<Tuned> = Vec::new();
    for (c, cell) in experiment.cells.iter().enumerate() {
        let same = |t: &Tuned| alike(&experiment.cells[t.cell], cell);
        if let Some(learned) = learned(experiment.rounds(c), share).filter(|_| !tuned.iter().any(same)) {
            tuned.push(Tuned { cell: c, learned, tried: Vec::new() });
        }
    }
    let jobs: Vec<(usize, f64, u32)> = tuned
        .iter()
        .enumerate()
        .flat_map(|(k, t)| {
            grid.iter().flat_map(move |step| {
                (0..experiment.cells[t.cell].trials).map(move |trial| (k, *step, trial))
            })
        })
        .collect();
    progress.expect(jobs.iter().map(|(k, ..)| tuned[*k].learned).sum());
    let found =
        options.each(&jobs, |(k, step, trial)| attempt(experiment, &tuned[*k], *step, *trial, progress));
    let found: Vec<Tried> = found.into_iter().collect::<Option<_>>()?;
    let mut found = found.into_iter();
    for t in &mut tuned {
        let trials = experiment.cells[t.cell].trials as usize;
        t.tried =
            grid.iter().map(|step| pooled(*step, &found.by_ref().take(trials).collect::<Vec<_>>())).collect();
    }
    Some(tuned)
}

/// Whether two cells differ in their step alone.
fn alike(a: &Cell, b: &Cell) -> bool {
    let rest = |cell: &Cell| {
        let kept = cell.settings.iter().filter(|(key, _)| !key.ends_with(".step"));
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
    let mut cell = experiment.cells[tuned.cell].clone();
    cell.spec.step() = Step { c: step, ..cell.spec.step() };
    let draw = experiment.draw(tuned.cell, trial);
    let (batch, loss) = (cell.problem.batch, &*cell.problem.loss);
    let end = experiment.rounds(tuned.cell) as usize * batch;
    let held = &draw.train[tuned.learned as usize * batch..end];
    let learners = engine::learners(&cell, Seed { seed: cell.seed, trial });
    let mut observers = observer::online(loss.classifies());
    let keep = [tuned.learned];
    let run = engine::run(&cell, tuned.learned, &draw, learners, &mut observers, &keep, &|| progress.add(1))?;
    // The mean over models, where every node has one of its own.
    let cost = |models: &[Vec<f64>]| {
        let f = Batch { samples: &draw.samples, rows: held, loss };
        mean(&models.iter().map(|x| f.value(x)).collect::<Vec<_>>())
    };
    let scored = |models: &[Vec<f64>], score: fn(&[f64], &[f64]) -> Option<f64>| {
        let one = |x: &Vec<f64>| {
            let (predicted, labels) = hindsight::predictions(&draw, held, x);
            score(&predicted, &labels)
        };
        Some(mean(&models.iter().map(one).collect::<Option<Vec<_>>>()?))
    };
    let accuracy = |models: &[Vec<f64>]| scored(models, score::accuracy);
    let online = |k: usize| run.points.last().and_then(|(_, values)| values.get(k).copied());
    let accuracies = || Some([online(1)?, accuracy(&run.last)?, accuracy(&run.averaged)?]);
    Some(Tried {
        step,
        online: online(0)?,
        costs: [cost(&run.last), cost(&run.averaged)],
        accuracies: if loss.classifies() { accuracies() } else { None },
        auc: if loss.classifies() { scored(&run.averaged, score::auc) } else { None },
    })
}

/// The means over trials.
fn pooled(step: f64, trials: &[Tried]) -> Tried {
    let average = |of: &dyn Fn(&Tried) -> f64| mean(&trials.iter().map(of).collect::<Vec<_>>());
    let all: Option<Vec<[f64; 3]>> = trials.iter().map(|t| t.accuracies).collect();
    let aucs: Option<Vec<f64>> = trials.iter().map(|t| t.auc).collect();
    let side = |k: usize, all: &[[f64; 3]]| mean(&all.iter().map(|a| a[k]).collect::<Vec<_>>());
    Tried {
        step,
        online: average(&|t| t.online),
        costs: [average(&|t| t.costs[0]), average(&|t| t.costs[1])],
        accuracies: all.map(|all| [0, 1, 2].map(|k| side(k, &all))),
        auc: aucs.map(|aucs| mean(&aucs)),
    }
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
    fn the_best_of_equal_steps_is_the_smallest_and_what_left_the_numbers_is_not_chosen() {
        let tried = |step, cost, accuracy| Tried {
            step,
            online: cost,
            costs: [cost; 2],
            accuracies: Some([accuracy; 3]),
            auc: Some(1.0 - accuracy),
        };
        let tried = vec![tried(3.0, 0.5, 0.9), tried(1.0, 0.5, 0.8), tried(9.0, f64::NAN, f64::NAN)];
        let tuned = Tuned { cell: 0, learned: 1, tried };
        assert_eq!(tuned.best(By::Last), Some(1));
        assert_eq!(tuned.best(By::AccuracyAveraged), Some(0));
        assert_eq!(tuned.best(By::AucAveraged), Some(1));
        assert_eq!(Tuned { tried: Vec::new(), ..tuned }.best(By::Online), None);
    }
}
