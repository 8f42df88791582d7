//! What was measured: for every cell of an experiment its values trial by trial, by the name of their column.

use std::collections::BTreeMap;

use dpsda_sim::spread::Spread;
use dpsda_sim::{Experiment, Outcome, Run};
use dpsda_web::reproduction::Point;

use super::book::{Book, Part};
use super::departures::{Departed, Facts, departures, facts};

/// One cell.
pub(super) struct Row {
    /// Its number in the run folder.
    pub(super) run: i64,
    pub(super) algorithm: String,
    /// The paper's label.
    pub(super) level: f64,
    pub(super) facts: Facts,
    pub(super) departures: Vec<Departed>,
    pub(super) values: BTreeMap<String, Vec<f64>>,
    /// Two curves each, one per adjacent world.
    pub(super) worlds: BTreeMap<&'static str, [Vec<Point>; 2]>,
}

/// One experiment that was run.
pub(super) struct Ran<'b> {
    pub(super) part: &'b Part,
    pub(super) rows: Vec<Row>,
    pub(super) run: dpsda_web::Run,
    /// What placeholders stand for in its texts.
    pub(super) words: BTreeMap<&'static str, String>,
    /// Runs per adjacent world.
    pub(super) games: usize,
}

impl Row {
    /// A column's spread.
    pub(super) fn spread(&self, column: &str) -> Option<Spread> {
        Spread::of(self.values.get(column)?)
    }

    /// What a placeholder stands for: the row itself, the mean of a measure, or a fact.
    pub(super) fn word(&self, book: &Book, name: &str) -> Option<String> {
        match (name, book.measure.get(name), self.spread(name)) {
            ("who", ..) => Some(self.algorithm.to_uppercase()),
            ("level", ..) => Some(level(self.level)),
            (_, Some(measure), Some(found)) => Some(digits(found.mean, measure.percent, measure.places)),
            _ => self.facts.get(name).cloned(),
        }
    }
}

/// The rows of an experiment that was run. A cell that an interrupt left with fewer trials decides nothing and is not shown.
pub(super) fn rows(book: &Book, part: &Part, experiment: &Experiment, outcome: &Outcome) -> Vec<Row> {
    let row = |run: &Run| {
        let (cell, facts) = (&experiment.cells[run.cell], facts(part, &experiment.cells[run.cell]));
        // Where an epsilon is promised, it is the label. A sum with noise of scale 1/level is the mean over b samples with noise
        // of scale 1/(b level).
        let promised = cell.settings.iter().find(|(key, _)| key == "privacy.epsilon");
        let promised = promised.and_then(|(_, value)| value.to_string().parse().ok());
        let level = promised.or(cell.level).unwrap_or(f64::INFINITY);
        let values = |name: &String| (name.clone(), column(outcome, run, experiment.rounds(run.cell), name));
        Row {
            run: run.cell as i64,
            algorithm: cell.algorithm.name.into(),
            level: if part.sums { level / cell.problem.batch as f64 } else { level },
            departures: departures(book, part, &facts),
            facts,
            values: book.columns.iter().map(values).collect(),
            worlds: BTreeMap::new(),
        }
    };
    let whole = |run: &&Run| run.trials.len() == experiment.cells[run.cell].trials as usize;
    outcome.runs.iter().filter(whole).map(row).collect()
}

/// One value per trial.
fn column(outcome: &Outcome, run: &Run, rounds: u64, name: &str) -> Vec<f64> {
    let best = |trial: &u32| match name {
        "least_cost" => outcome.least_cost(run, *trial, rounds),
        _ => outcome.best_score(run, *trial, name),
    };
    match name {
        "regret_per_round" => outcome.regrets(run, "fitness"),
        "averaged_regret_per_round" => outcome.regrets(run, "averaged_fitness"),
        _ => run.trials.iter().filter_map(|(trial, done)| done.score(name).or_else(|| best(trial))).collect(),
    }
}

/// Mean and standard deviation, and the least and the most; of a single trial its value.
pub(super) fn show(s: Spread, percent: bool, places: usize) -> (String, String) {
    let [mean, sd, low, high] = [s.mean, s.sd, s.low, s.high].map(|v| digits(v, percent, places));
    if s.trials == 1 { (mean, String::new()) } else { (format!("{mean} ± {sd}"), format!("{low} to {high}")) }
}

/// In so many places, or by its power of ten where they would show too little of it.
fn digits(v: f64, percent: bool, places: usize) -> String {
    match v {
        v if percent => format!("{:.places$}", 100.0 * v),
        0.0 => "0".into(),
        v if v.abs() < 10f64.powi(-(places as i32)) => format!("{v:.1e}"),
        v => format!("{v:.places$}"),
    }
}

/// As the paper writes it: "non-private", or a label.
pub(super) fn level(level: f64) -> String {
    if level.is_infinite() { "non-private".into() } else { format!("level {level}") }
}

/// So many of something.
pub(super) fn count(n: usize, of: &str) -> String {
    if n == 1 { format!("1 {of}") } else { format!("{n} {of}s") }
}
