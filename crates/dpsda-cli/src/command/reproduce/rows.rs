//! What was measured: for every cell of an experiment its values trial by trial.

use std::collections::BTreeMap;

use dpsda::catalog::Listing;
use dpsda::experiment::Cell;
use dpsda::metric::{self, Build};
use dpsda_sim::{Experiment, Outcome};

use super::departures::{Departure, departures};
use super::parts::{Arm, Part};

/// What is read off, trial by trial.
const METRICS: [&Listing<Build>; 14] = [
    &metric::regret_per_round::LISTING,
    &metric::averaged_regret_per_round::LISTING,
    &metric::fitness::LISTING,
    &metric::accuracy_progressive::LISTING,
    &metric::accuracy_train_last::LISTING,
    &metric::accuracy_train_averaged::LISTING,
    &metric::accuracy_test_last::LISTING,
    &metric::accuracy_test_averaged::LISTING,
    &metric::balanced_accuracy_test_averaged::LISTING,
    &metric::auc_test_averaged::LISTING,
    &metric::majority_test::LISTING,
    &metric::accuracy_train_best::LISTING,
    &metric::accuracy_test_best::LISTING,
    &metric::auc_test_best::LISTING,
];

/// One cell.
pub(super) struct Row {
    /// Its number in the run folder.
    pub(super) run: i64,
    pub(super) arm: Arm,
    pub(super) algorithm: &'static str,
    /// The paper's label.
    pub(super) level: f64,
    /// What it was set to, in words.
    pub(super) step: String,
    /// Which kind of steps it has.
    pub(super) rule: &'static str,
    /// What was done otherwise than in the paper.
    pub(super) departures: Vec<Departure>,
    /// One value a trial, by the name of its column.
    values: BTreeMap<&'static str, Vec<f64>>,
}

/// Mean and spread over trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) mean: f64,
    /// Sample standard deviation; 0 for a single trial.
    pub(super) sd: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) trials: usize,
}

impl Spread {
    /// Of some values, if there are any and all are finite.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let square: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        Some(Self {
            mean,
            sd: if values.len() > 1 { (square / (n - 1.0)).sqrt() } else { 0.0 },
            low: values.iter().copied().fold(f64::INFINITY, f64::min),
            high: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            trials: values.len(),
        })
    }
}

impl Row {
    /// What was measured.
    pub(super) fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.values.keys().copied()
    }

    /// A column's spread.
    pub(super) fn spread(&self, column: &str) -> Option<Spread> {
        Spread::of(self.values.get(column)?)
    }
}

/// The rows of an experiment that was run.
pub(super) fn of(part: &Part, experiment: &Experiment, outcome: &Outcome) -> Vec<Row> {
    // What an interrupt left with fewer trials than others decides nothing and is not shown.
    let whole = |run: &&dpsda_sim::Run| run.trials.len() == experiment.cells[run.cell].trials as usize;
    let finished = outcome.runs.iter().filter(whole);
    finished
        .map(|run| {
            let cell = &experiment.cells[run.cell];
            let mut values: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
            for listing in METRICS {
                values.insert(listing.name, outcome.values(experiment, run, listing));
            }
            let rounds = experiment.rounds(run.cell);
            let least = run.trials.keys().filter_map(|trial| outcome.least_cost(run, *trial, rounds));
            values.insert("least_cost", least.collect());
            values.retain(|_, values| !values.is_empty());
            Row {
                run: run.cell as i64,
                arm: part.arm,
                algorithm: cell.spec.algorithm().name(),
                level: level(part, cell),
                step: super::departures::step(part, cell),
                rule: super::departures::rule(cell),
                departures: departures(part, cell),
                values,
            }
        })
        .collect()
}

/// The paper's label: a mean over `b` samples with noise of scale `1/(b level)` is the sum with noise of scale `1/level`;
/// where an epsilon is promised, that.
fn level(part: &Part, cell: &Cell) -> f64 {
    let promised = cell.settings.iter().find(|(key, _)| key == "privacy.epsilon");
    let promised = promised.and_then(|(_, value)| value.as_float());
    let level = promised.or(cell.level).unwrap_or(f64::INFINITY);
    if part.arm.sums() { level / cell.problem.batch as f64 } else { level }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_of_the_trials_and_of_nothing_else() {
        let spread = Spread::of(&[1.0, 2.0, 6.0]).unwrap();
        assert_eq!((spread.mean, spread.low, spread.high, spread.trials), (3.0, 1.0, 6.0, 3));
        assert!((spread.sd - 7f64.sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[4.0]).map(|s| s.sd), Some(0.0));
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[1.0, f64::INFINITY]), None);
    }
}
