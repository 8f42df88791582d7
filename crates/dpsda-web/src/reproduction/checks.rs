//! The checks that statements of a book name: what decides a claim.

use std::collections::BTreeSet;

use dpsda::metric::{OverTrials, power};

use super::book::{BookMeasure, Claim};
use super::words::{level, show};
use super::{Findings, Ran, RunRow, curve};
use crate::text::{fill, plural};

/// Every check by its name.
pub const CHECKS: [&str; 7] =
    ["ahead", "not-behind", "worse-with-noise", "falls", "reaches", "differs", "at-most"];

/// A claim, whether it holds if the runs decide that, and the figures that decide it.
#[derive(Clone)]
pub(super) struct Decided {
    pub(super) claim: String,
    pub(super) holds: Option<bool>,
    pub(super) figures: Vec<String>,
}

/// Every verdict.
pub(super) const VERDICTS: [Option<bool>; 3] = [Some(true), Some(false), None];

/// A verdict in words, in words for several statements, and its style on the page.
pub(super) fn verdict(holds: Option<bool>) -> [&'static str; 3] {
    match holds {
        Some(true) => ["holds", "hold", "holds"],
        Some(false) => ["does not hold", "do not hold", "fails"],
        None => ["not decided", "not decided", "open"],
    }
}

/// One comparison: whether it comes out as claimed, or why that cannot be said; and its figures. `None`: a row is missing.
type Compared = Option<(Result<bool, String>, String)>;

/// One claim about one experiment by one measure.
pub(super) struct Ask<'a> {
    pub(super) found: &'a Findings<'a>,
    pub(super) ran: &'a Ran<'a>,
    pub(super) claim: &'a Claim,
    pub(super) column: &'a str,
    pub(super) measure: &'a BookMeasure,
}

impl Ask<'_> {
    /// The claim, decided, with its figures.
    pub(super) fn decide(&self, check: &str) -> Decided {
        let Claim { who, than, note, claim, .. } = self.claim;
        let names =
            |all: &[String]| all.iter().map(|name| name.to_uppercase()).collect::<Vec<_>>().join(" and ");
        let word = |name: &str| match (name, self.levels()) {
            ("measure", _) => self.measure.name.clone(),
            ("who", _) => names(who),
            ("than", _) => names(than),
            ("levels", [one]) => level(*one),
            ("levels", _) => "each noisy level".into(),
            _ => self.found.word(name, &[self.ran], who.first()),
        };
        let (holds, mut figures) = together(self.compare(check));
        figures.extend(note.iter().map(|note| fill(note, word)));
        let claim = claim.as_ref().or(self.found.book.claim.get(check)).map_or("", String::as_str);
        Decided { claim: fill(claim, word), holds, figures }
    }

    fn compare(&self, check: &str) -> Vec<Compared> {
        let who = &self.claim.who;
        let rows = || self.ran.rows.iter().filter(|row| who.is_empty() || who.contains(&row.algorithm));
        let measured = || rows().filter(|row| row.values.contains_key(self.column));
        match check {
            "ahead" => self.levels().iter().map(|at| self.against(*at, true)).collect(),
            "not-behind" => vec![self.against(f64::INFINITY, false)],
            "worse-with-noise" => who.iter().map(|who| self.worsens(who)).collect(),
            "falls" => rows().map(|row| self.falls(row)).collect(),
            "reaches" => vec![self.reaches()],
            "differs" => vec![self.differs()],
            "at-most" => measured().map(|row| self.at_most(row)).collect(),
            _ => vec![],
        }
    }

    /// The levels of the claim; all noisy ones if it names none.
    fn levels(&self) -> &[f64] {
        let noisy = self.found.book.levels.get(1..).unwrap_or_default();
        if self.claim.levels.is_empty() { noisy } else { &self.claim.levels }
    }

    fn over_trials(&self, who: &str, level: f64) -> Option<OverTrials> {
        self.found.row(self.ran, who, level)?.1.over_trials(self.column)
    }

    fn show(&self, found: OverTrials) -> String {
        let (text, range) = show(found, self.measure.percent, self.measure.places);
        if range.is_empty() { text } else { format!("{text} ({range})") }
    }

    /// A result; or, from too few trials, the reason why there is none.
    fn from(&self, trials: usize, holds: bool, text: String) -> Compared {
        let few = match (trials, self.found.book.decide.trials) {
            (n, least) if n >= least => return Some((Ok(holds), text)),
            (1, _) => "1 trial has no deviation".to_owned(),
            (n, least) => format!("{n} trials, fewer than {least}"),
        };
        Some((Err(few), text))
    }

    /// Ahead of every rival at a level, or not behind any.
    fn against(&self, at: f64, ahead: bool) -> Compared {
        let (who, lower) = (self.claim.who.first()?, self.measure.lower);
        let own = self.over_trials(who, at)?;
        let (mut holds, mut trials) = (true, own.trials);
        let mut text = format!("{}: {} {}", level(at), who.to_uppercase(), self.show(own));
        for rival in &self.claim.than {
            let other = self.over_trials(rival, at)?;
            holds &= if ahead { own.apart(other, lower) } else { own.not_behind(other, lower) };
            trials = trials.min(other.trials);
            let how = if ahead { format!(": {}", own.readings(other, lower)) } else { String::new() };
            text += &format!("; {} {}{how}", rival.to_uppercase(), self.show(other));
        }
        self.from(trials, holds, text)
    }

    /// The more noise, the worse, from level to level.
    fn worsens(&self, who: &str) -> Compared {
        let levels = &self.found.book.levels;
        let found: Vec<_> = levels.iter().map(|at| self.over_trials(who, *at)).collect::<Option<_>>()?;
        let shown = found.iter().zip(levels).map(|(s, at)| format!("{} {}", level(*at), self.show(*s)));
        let text = format!("{}: {}", who.to_uppercase(), shown.collect::<Vec<_>>().join(", "));
        let trials = found.iter().map(|s| s.trials).min()?;
        match OverTrials::worsens(&found, self.measure.lower) {
            None if trials >= self.found.book.decide.trials => {
                Some((Err("bands of neighbouring levels touch".into()), format!("{text}: bands touch")))
            }
            holds => self.from(trials, holds == Some(true), text),
        }
    }

    /// A curve of the run folder falls as a power of T.
    fn falls(&self, row: &RunRow) -> Compared {
        let points = curve(self.ran, row, self.column)?;
        let points: Vec<(f64, f64)> = points.iter().map(|p| (p.0, p.1)).collect();
        let ((last, value), power) = (points.last()?, power(&points)?);
        let does = if power < 0.0 { "falls" } else { "grows" };
        let text = format!("{value:.3} at T = {last:.0}, {does} as T^{power:.2} (fitted from T = 10 on)");
        let text = format!("{} {}: {text}", row.algorithm.to_uppercase(), level(row.level));
        self.from(row.over_trials(self.column)?.trials, power < 0.0, text)
    }

    /// A goal in percent, reached in the mean over trials without noise.
    fn reaches(&self) -> Compared {
        let found = self.over_trials(self.claim.who.first()?, f64::INFINITY)?;
        let [mean, low, high] = [found.mean, found.low, found.high].map(|v| 100.0 * v);
        let trials = plural(found.trials as u64, "trial");
        let text = format!("{mean:.2} % over {trials}, {low:.2} to {high:.2}");
        self.from(found.trials, mean >= self.claim.goal, text)
    }

    /// Some row has a value above zero.
    fn differs(&self) -> Compared {
        let values = self.ran.rows.iter().filter_map(|row| Some(row.over_trials(self.column)?.high));
        let largest = values.reduce(f64::max)?;
        Some((Ok(largest > 0.0), format!("{}: at most {largest}.", self.measure.name)))
    }

    /// A row is not above the goal, or not above its own limit. It takes runs in two worlds.
    fn at_most(&self, row: &RunRow) -> Compared {
        let mean = |column: &str| row.over_trials(column).map(|found| found.mean);
        let limit = self.claim.limit.as_ref().map_or(Some(self.claim.goal), |limit| mean(limit))?;
        let text = fill(&self.claim.shown, |name| row.word(self.found.book, name).unwrap_or_default());
        let (runs, least) = (mean("runs_per_world").unwrap_or(0.0) as usize, self.found.book.decide.runs);
        let few = || format!("{} per world, fewer than {least}", plural(runs as u64, "run"));
        Some((if runs < least { Err(few()) } else { Ok(mean(self.column)? <= limit) }, text))
    }
}

/// It holds if every comparison does, does not if one does not, and else is not decided; with all figures and reasons.
fn together(found: Vec<Compared>) -> (Option<bool>, Vec<String>) {
    let missing = found.is_empty() || found.iter().any(Option::is_none);
    let (decided, mut figures): (Vec<_>, Vec<String>) = found.into_iter().flatten().unzip();
    let reasons: BTreeSet<&String> = decided.iter().filter_map(|one| one.as_ref().err()).collect();
    let fails = decided.contains(&Ok(false));
    if missing || (!fails && !reasons.is_empty()) {
        figures.extend(reasons.into_iter().map(|why| format!("Not decided: {why}.")));
        return (None, figures);
    }
    (Some(!fails), figures)
}
