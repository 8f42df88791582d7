//! The checks that statements of the book name: what decides a claim.

use std::collections::BTreeSet;

use dpsda_sim::spread::{Spread, power};
use dpsda_web::reproduction::{Statement, Verdict, curves};
use dpsda_web::text::fill;

use super::book::{Claim, Measure};
use super::page::Found;
use super::rows::{Ran, Row, count, level, show};

/// One comparison: whether it comes out as claimed, or why that cannot be said; and its figures. `None`: a row is missing.
pub(super) type Compared = Option<(Result<bool, String>, String)>;

/// One claim about one experiment by one measure.
pub(super) struct Ask<'a> {
    pub(super) found: &'a Found<'a>,
    pub(super) ran: &'a Ran<'a>,
    pub(super) claim: &'a Claim,
    pub(super) column: &'a str,
    pub(super) measure: &'a Measure,
}

impl Ask<'_> {
    /// The comparisons of a check; nothing if no check has that name.
    fn compare(&self, check: &str) -> Option<Vec<Compared>> {
        let (who, rows) = (&self.claim.who, self.ran.rows.iter());
        let rows = rows.filter(|row| who.is_empty() || who.contains(&row.algorithm));
        Some(match check {
            "ahead" => self.levels().iter().map(|at| self.against(*at, true)).collect(),
            "not-behind" => vec![self.against(f64::INFINITY, false)],
            "worse-with-noise" => who.iter().map(|who| self.worsens(who)).collect(),
            "falls" => rows.map(|row| self.falls(row)).collect(),
            "reaches" => vec![self.reaches()],
            "differs" => vec![self.differs()],
            "at-most" => rows.filter(|r| r.values.contains_key(self.column)).map(|r| self.at_most(r)).collect(),
            _ => return None,
        })
    }

    /// The claim, decided, with its figures.
    pub(super) fn decide(&self, check: &str) -> Option<Statement> {
        let (verdict, mut figures) = verdict(self.compare(check)?);
        let Claim { who, than, note, claim, .. } = self.claim;
        let names = |list: &[String]| list.join(" and ").to_uppercase();
        let word = |name: &str| match (name, self.levels()) {
            ("measure", _) => self.measure.name.clone(),
            ("who", _) => names(who),
            ("than", _) => names(than),
            ("levels", [one]) => level(*one),
            ("levels", _) => "each noisy level".into(),
            _ => self.found.word(name, &[self.ran], who.first().map(String::as_str)),
        };
        figures.extend(note.iter().map(|note| fill(note, word)));
        let claim = claim.as_ref().or(self.found.book.claim.get(check))?;
        Some(Statement { claim: fill(claim, word), verdict, figures })
    }

    fn levels(&self) -> &[f64] {
        if self.claim.levels.is_empty() { &self.found.book.levels[1..] } else { &self.claim.levels }
    }

    fn spread(&self, who: &str, level: f64) -> Option<Spread> {
        self.found.row(self.ran, who, level)?.1.spread(self.column)
    }

    fn show(&self, found: Spread) -> String {
        match show(found, self.measure.percent, self.measure.places) {
            (text, range) if range.is_empty() => text,
            (text, range) => format!("{text} ({range})"),
        }
    }

    /// A result; or from too few nothing, and why.
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
        let own = self.spread(who, at)?;
        let (mut holds, mut trials) = (true, own.trials);
        let mut text = format!("{}: {} {}", level(at), who.to_uppercase(), self.show(own));
        for rival in &self.claim.than {
            let other = self.spread(rival, at)?;
            let fine = if ahead { own.apart(other, lower) } else { own.not_behind(other, lower) };
            (holds, trials) = (holds && fine, trials.min(other.trials));
            let how = if ahead { format!(": {}", own.readings(other, lower)) } else { String::new() };
            text += &format!("; {} {}{how}", rival.to_uppercase(), self.show(other));
        }
        self.from(trials, holds, text)
    }

    /// The paper's "higher when the privacy level is lower": the more noise, the worse, from level to level.
    fn worsens(&self, who: &str) -> Compared {
        let levels = &self.found.book.levels;
        let found: Vec<Spread> = levels.iter().map(|at| self.spread(who, *at)).collect::<Option<_>>()?;
        let shown = found.iter().zip(levels).map(|(s, at)| format!("{} {}", level(*at), self.show(*s)));
        let text = format!("{}: {}", who.to_uppercase(), shown.collect::<Vec<_>>().join(", "));
        let trials = found.iter().map(|s| s.trials).min()?;
        match Spread::worsens(&found, self.measure.lower) {
            None if trials >= self.found.book.decide.trials => {
                Some((Err("bands of neighbouring levels touch".into()), format!("{text}: bands touch")))
            }
            holds => self.from(trials, holds == Some(true), text),
        }
    }

    /// A curve of the run folder falls as a power of T.
    fn falls(&self, row: &Row) -> Compared {
        let (_, points) = curves(&self.ran.run, self.column).into_iter().find(|(run, _)| *run == row.run)?;
        let points: Vec<(f64, f64)> = points.iter().map(|p| (p.t, p.value)).collect();
        let ((last, value), power) = (points.last()?, power(&points)?);
        let does = if power < 0.0 { "falls" } else { "grows" };
        let text = format!("{value:.3} at T = {last:.0}, {does} as T^{power:.2} (fitted from T = 10 on)");
        let text = format!("{} {}: {text}", row.algorithm.to_uppercase(), level(row.level));
        self.from(row.spread(self.column)?.trials, power < 0.0, text)
    }

    /// A goal in percent, reached in the mean over trials without noise.
    fn reaches(&self) -> Compared {
        let found = self.spread(self.claim.who.first()?, f64::INFINITY)?;
        let [mean, low, high] = [found.mean, found.low, found.high].map(|v| 100.0 * v);
        let text = format!("{mean:.2} % over {}, {low:.2} to {high:.2}", count(found.trials, "trial"));
        self.from(found.trials, mean >= self.claim.goal, text)
    }

    /// Some row has a value above zero.
    fn differs(&self) -> Compared {
        let values = self.ran.rows.iter().filter_map(|row| Some(row.spread(self.column)?.high));
        let largest = values.reduce(f64::max)?;
        Some((Ok(largest > 0.0), format!("{}: at most {largest}.", self.measure.name)))
    }

    /// A row is not above the goal, or not above its own limit. It takes runs in two worlds.
    fn at_most(&self, row: &Row) -> Compared {
        let limit = self.claim.limit.as_ref().map_or(Some(self.claim.goal), |l| Some(row.spread(l)?.mean))?;
        let holds = row.spread(self.column)?.mean <= limit;
        let text = fill(&self.claim.shown, |name| row.word(self.found.book, name).unwrap_or_default());
        let (games, least) = (self.ran.games, self.found.book.decide.runs);
        let few = || format!("{} per world, fewer than {least}", count(games, "run"));
        Some((if games < least { Err(few()) } else { Ok(holds) }, text))
    }
}

/// It holds if every comparison does, does not if one does not, and else is not decided; with all figures and reasons.
pub(super) fn verdict(found: Vec<Compared>) -> (Verdict, Vec<String>) {
    let missing = found.is_empty() || found.iter().any(Option::is_none);
    let (decided, mut figures): (Vec<_>, Vec<String>) = found.into_iter().flatten().unzip();
    let reasons: BTreeSet<String> = decided.iter().filter_map(|one| one.clone().err()).collect();
    let verdict = match missing {
        false if decided.contains(&Ok(false)) => Verdict::Fails,
        false if reasons.is_empty() => Verdict::Holds,
        _ => Verdict::Open,
    };
    if verdict == Verdict::Open {
        figures.extend(reasons.into_iter().map(|why| format!("Not decided: {why}.")));
    }
    (verdict, figures)
}
