//! A page that sets a paper beside our runs: its figures redrawn, its tables with both numbers, its statements decided.
//! A [`PaperBook`] says what stands on the page, [`Findings`] what was measured.

mod blocks;
mod book;
mod checks;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::{
    RunFolder,
    bands::bands,
    html::paragraph,
    plot::BandPoint,
    shell::{Page, shell},
    text::escape,
};
use blocks::PageSection;
pub use book::*;
pub use checks::CHECKS;

const OWN_STYLE: &str = include_str!("../assets/reproduction.css");
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../assets/js/errors.js"),
    include_str!("../assets/js/theme.js"),
    include_str!("../assets/js/cue.js"),
    "makeTheme();\ndocument.querySelectorAll(\".scroll\").forEach((box) => cue(box, box.parentElement));\n",
    "root.dataset.ready = \"1\";\n})();\n",
);

/// How a run is set, by the names that `[paper]` of a book has. A fact that does not apply to a run is not there.
pub type RunFacts = BTreeMap<&'static str, String>;

/// One run of an experiment: an algorithm at a level.
#[derive(Clone, Debug, Default)]
pub struct RunRow {
    /// Its number in the run folder.
    pub run: i64,
    /// Its algorithm.
    pub algorithm: String,
    /// The paper's privacy level; infinity without noise.
    pub level: f64,
    /// How it is set.
    pub facts: RunFacts,
    /// One value per trial, by the name of their column.
    pub values: BTreeMap<String, Vec<f64>>,
    /// Curves of `(t, value)` in each of two adjacent worlds, by the name of their column.
    pub worlds: BTreeMap<&'static str, [Vec<(f64, f64)>; 2]>,
}

/// One experiment that was run.
#[derive(Clone, Debug)]
pub struct Ran<'a> {
    /// Its row in the book.
    pub part: &'a BookExperiment,
    /// The text of its file.
    pub text: &'a str,
    /// Its run folder.
    pub run: RunFolder,
    /// Its runs that have all their trials.
    pub rows: Vec<RunRow>,
    /// What placeholders in texts about it stand for.
    pub words: BTreeMap<&'static str, String>,
}

/// All that was run.
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    /// What was asked for.
    pub book: &'a PaperBook,
    /// In the order in which they were run.
    pub ran: Vec<Ran<'a>>,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
    /// Where more or fewer trials were run than the files say, in words.
    pub scale: Option<String>,
}

/// All rows of some experiments.
fn rows<'r>(ran: impl IntoIterator<Item = &'r Ran<'r>>) -> impl Iterator<Item = (&'r Ran<'r>, &'r RunRow)> {
    ran.into_iter().flat_map(|ran| ran.rows.iter().map(move |row| (ran, row)))
}

/// A row's curve in one column of the series: round, mean, and one standard deviation to each side.
fn curve(ran: &Ran<'_>, row: &RunRow, column: &str) -> Option<Vec<BandPoint>> {
    let curves = bands(&ran.run.series).into_iter().find(|bands| bands.column == column)?.curves;
    Some(curves.iter().find(|curve| curve.run == row.run)?.thin(160).points())
}

impl Findings<'_> {
    /// The row of an algorithm and level in an experiment, or in the one beside it.
    fn row<'r>(&'r self, ran: &'r Ran<'r>, who: &str, level: f64) -> Option<(&'r Ran<'r>, &'r RunRow)> {
        let beside = self.ran.iter().find(|other| Some(&other.part.file) == ran.part.beside.as_ref());
        rows([ran].into_iter().chain(beside)).find(|(_, row)| row.algorithm == who && row.level == level)
    }

    /// The page, and the same for programs. Same input, same bytes.
    pub fn report(&self, targets: &[&BookTarget]) -> (String, Value) {
        let mut shown = BTreeSet::new();
        let asked = |s: &&BookSection| s.targets.iter().any(|own| targets.iter().any(|t| t.name == own.name));
        let sections = self.book.section.iter().filter(asked);
        let sections: Vec<PageSection> = sections.map(|section| self.section(section, &mut shown)).collect();
        let titles: Vec<&str> = targets.iter().map(|t| t.title.as_str()).collect();
        let stopped = "This reproduction was interrupted. Only runs with all of their trials are shown.";
        let notices = self.scale.as_deref().into_iter().chain(self.interrupted.then_some(stopped));
        let all = [vec![self.verdicts(&sections)], sections, vec![self.notes()]].concat();
        let page = shell(&Page {
            title: &self.book.title,
            meta: escape(&format!("dpsda {} · {}", env!("CARGO_PKG_VERSION"), titles.join(", "))),
            lead: self.book.lead.iter().map(|text| paragraph("lead", text)).collect(),
            notices: notices.map(|text| paragraph("warning", text)).collect(),
            nav: blocks::contents(&all),
            main: all.iter().map(PageSection::html).collect(),
            style: OWN_STYLE,
            script: SCRIPT,
            ..Page::default()
        });
        (page, self.json(&all))
    }

    fn json(&self, sections: &[PageSection]) -> Value {
        let number = |x: f64| if x.is_finite() { json!(x) } else { json!("inf") };
        let mean = |row: &RunRow, column: &str| row.over_trials(column).map(|s| s.mean);
        let spread = |row: &RunRow, column: &str| {
            let s = row.over_trials(column)?;
            Some(json!({ "mean": s.mean, "sd": s.sd, "min": s.low, "max": s.high, "trials": s.trials }))
        };
        let measured = |(ran, row): (&Ran<'_>, &RunRow)| {
            let values = self.book.columns.iter().filter_map(|name| Some((name.clone(), spread(row, name)?)));
            let departures = self.book.departures(ran.part, &row.facts);
            json!({
                "experiment": ran.part.file, "setting": ran.part.setting, "algorithm": row.algorithm,
                "level": number(row.level), "step": row.facts.get("steps"), "values": values.collect::<Map<_, _>>(),
                "departures": departures.into_iter().map(|[short, ..]| short).collect::<Vec<_>>(),
            })
        };
        let apart = |(ran, row): (&Ran<'_>, &RunRow)| {
            json!({
                "experiment": ran.part.file, "algorithm": row.algorithm,
                "label": number(mean(row, "promised").unwrap_or(row.level)), "before": mean(row, "before"),
                "first": spread(row, "first"), "norm": spread(row, "norm"),
                "first_own_noise": spread(row, "first_own_noise"),
                "adversary_right": mean(row, "adversary_right"), "epsilon_at_least": mean(row, "epsilon_at_least"),
            })
        };
        let decided =
            sections.iter().flat_map(|section| section.statements.iter().map(move |s| (section, s)));
        let statements = decided.map(|(section, s)| {
            json!({ "section": section.title, "claim": s.claim, "verdict": checks::verdict(s.holds)[0], "figures": s.figures })
        });
        let worlds = rows(&self.ran).filter(|(_, row)| !row.worlds.is_empty());
        json!({
            "dpsda": env!("CARGO_PKG_VERSION"), "interrupted": self.interrupted,
            "statements": statements.collect::<Vec<_>>(), "rows": rows(&self.ran).map(measured).collect::<Vec<_>>(),
            "worlds": worlds.map(apart).collect::<Vec<_>>(),
        })
    }
}
