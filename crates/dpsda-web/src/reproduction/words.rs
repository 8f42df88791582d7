//! Names and numbers as a reader of the paper knows them, and what placeholders in texts stand for.

use std::collections::BTreeSet;

use dpsda::metric::OverTrials;

use super::{Findings, PaperBook, Ran, RunRow, rows};
use crate::text::{fill, plural};

impl RunRow {
    /// A column over trials.
    pub(super) fn over_trials(&self, column: &str) -> Option<OverTrials> {
        OverTrials::of(self.values.get(column)?)
    }

    /// What a placeholder stands for: the row itself, the mean of a measure, or a fact.
    pub(super) fn word(&self, book: &PaperBook, name: &str) -> Option<String> {
        match (name, book.measure.get(name), self.over_trials(name)) {
            ("who", ..) => Some(self.algorithm.to_uppercase()),
            ("level", ..) => Some(level(self.level)),
            (_, Some(measure), Some(found)) => Some(digits(found.mean, measure.percent, measure.places)),
            _ => self.facts.get(name).cloned(),
        }
    }
}

impl Findings<'_> {
    /// What a placeholder stands for in a text about experiments, and about an algorithm of theirs.
    pub(super) fn word(&self, name: &str, ran: &[&Ran<'_>], who: Option<&String>) -> String {
        let one = |ran: &&Ran<'_>| match name {
            "setting" => Some(ran.part.setting.clone()),
            "data" => Some(self.book.data.get(&ran.part.data)?.name.clone()),
            _ => ran.words.get(name).cloned().or_else(|| {
                let row = ran.rows.iter().find(|row| who.is_none_or(|who| row.algorithm == *who))?;
                row.word(self.book, name)
            }),
        };
        let trials: BTreeSet<usize> = rows(ran.iter().copied())
            .filter_map(|(_, row)| Some(row.over_trials("fitness")?.trials))
            .collect();
        match name {
            "trials" => trials.iter().map(|n| plural(*n as u64, "trial")).collect::<Vec<_>>().join(" or "),
            "bands" => self.say(&self.book.bands, ran),
            "fewest" => self.book.decide.trials.to_string(),
            _ => ran.iter().find_map(one).unwrap_or_else(|| format!("{{{{{name}}}}}")),
        }
    }

    /// A text with its placeholders filled.
    pub(super) fn say(&self, text: &str, ran: &[&Ran<'_>]) -> String {
        fill(text, |name| self.word(name, ran, None))
    }
}

/// Mean and standard deviation, and the least and the most; of a single trial its value.
pub(super) fn show(s: OverTrials, percent: bool, places: usize) -> (String, String) {
    let [mean, sd, low, high] = [s.mean, s.sd, s.low, s.high].map(|v| digits(v, percent, places));
    match s.trials {
        1 => (mean, String::new()),
        _ => (format!("{mean} ± {sd}"), format!("{low} to {high}")),
    }
}

/// In so many places, or as a power of ten where they would show too little of it.
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
