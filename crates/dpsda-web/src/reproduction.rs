//! A page that sets a paper beside our runs: its figures redrawn, its tables with both numbers, its statements decided.
//! A [`Book`] says what stands on the page, [`Found`] what was measured.

mod blocks;
mod book;
mod checks;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::{
    Run,
    bands::bands,
    shell::{Page, shell},
    still::Point,
    text::escape,
};
use blocks::Written;
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

/// How a cell is set, by the names that `[paper]` of a book has. What does not apply to a cell is not there.
pub type Facts = BTreeMap<&'static str, String>;

/// One cell of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Its number in the run folder.
    pub run: i64,
    /// Its algorithm.
    pub algorithm: String,
    /// The paper's privacy level; infinity without noise.
    pub level: f64,
    /// How it is set.
    pub facts: Facts,
    /// One value per trial, by the name of their column.
    pub values: BTreeMap<String, Vec<f64>>,
    /// Curves of `(t, value)` in each of two adjacent worlds, by the name of their column.
    pub worlds: BTreeMap<&'static str, [Vec<(f64, f64)>; 2]>,
}

/// One experiment that was run.
#[derive(Clone, Debug)]
pub struct Ran<'a> {
    /// Which.
    pub part: &'a Part,
    /// The text of its file.
    pub text: &'a str,
    /// Its run folder.
    pub run: Run,
    /// Its cells that have all their trials.
    pub rows: Vec<Row>,
    /// What placeholders in texts about it stand for.
    pub words: BTreeMap<&'static str, String>,
    /// Runs per adjacent world.
    pub games: usize,
}

/// All that was run.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// What was asked for.
    pub book: &'a Book,
    /// In the order in which they were run.
    pub ran: Vec<Ran<'a>>,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
    /// What was run otherwise than the files say, if anything.
    pub scale: Option<String>,
}

/// All rows of some experiments.
fn rows<'a, 'r>(ran: &'a [&'r Ran<'r>]) -> impl Iterator<Item = (&'r Ran<'r>, &'r Row)> + use<'a, 'r> {
    ran.iter().flat_map(|ran| ran.rows.iter().map(|row| (*ran, row)))
}

/// A row's curve in one column of the series: round, mean, and one standard deviation to each side.
fn curves(ran: &Ran<'_>, row: &Row, column: &str) -> Option<Vec<Point>> {
    let curves = bands(&ran.run.series).into_iter().find(|bands| bands.column == column)?.curves;
    let curve = curves.iter().find(|curve| curve.run == row.run)?.thin(160);
    let point = |((t, mean), sd): ((&i64, &f64), &Option<f64>)| {
        (*t as f64, *mean, sd.map(|sd| (mean - sd, mean + sd)))
    };
    Some(curve.t.iter().zip(&curve.mean).zip(&curve.sd).map(point).collect())
}

impl Found<'_> {
    /// The row of an algorithm and level in an experiment, or in the one beside it.
    fn row<'r>(&'r self, ran: &'r Ran<'r>, who: &str, level: f64) -> Option<(&'r Ran<'r>, &'r Row)> {
        let beside = self.ran.iter().find(|other| Some(&other.part.file) == ran.part.beside.as_ref());
        let all = [Some(ran), beside]
            .into_iter()
            .flatten()
            .flat_map(|ran| ran.rows.iter().map(move |row| (ran, row)));
        all.into_iter().find(|(_, row)| row.algorithm == who && row.level == level)
    }

    /// The page, and the same for programs. Same input, same bytes.
    pub fn report(&self, targets: &[&Target]) -> (String, Value) {
        let mut shown = BTreeSet::new();
        let asked = |s: &&Section| s.targets.iter().any(|own| targets.iter().any(|t| t.name == own.name));
        let sections = self.book.section.iter().filter(asked);
        let sections: Vec<Written> = sections.map(|section| self.section(section, &mut shown)).collect();
        let titles: Vec<&str> = targets.iter().map(|t| t.title.as_str()).collect();
        let stopped = "This was interrupted: only what had all of its trials is shown.";
        let notices = self.scale.as_deref().into_iter().chain(self.interrupted.then_some(stopped));
        let all = [vec![self.verdicts(&sections)], sections, vec![self.notes()]].concat();
        let page = shell(&Page {
            title: &self.book.title,
            meta: escape(&format!("dpsda {} · {}", env!("CARGO_PKG_VERSION"), titles.join(", "))),
            lead: self.book.lead.iter().map(|text| blocks::paragraph("lead", text)).collect(),
            notices: notices.map(|text| blocks::paragraph("warning", text)).collect(),
            nav: blocks::contents(&all),
            main: all.iter().map(Written::html).collect(),
            style: OWN_STYLE,
            script: SCRIPT,
            ..Page::default()
        });
        (page, self.json(&all))
    }

    fn json(&self, sections: &[Written]) -> Value {
        let number = |x: f64| if x.is_finite() { json!(x) } else { json!("inf") };
        let over_trials = |row: &Row, column: &str| {
            let s = row.over_trials(column)?;
            Some(json!({ "mean": s.mean, "sd": s.sd, "min": s.low, "max": s.high, "trials": s.trials }))
        };
        let measured = |(ran, row): (&Ran<'_>, &Row)| {
            let columns = self.book.columns.iter();
            let values: Map<_, _> =
                columns.filter_map(|name| Some((name.clone(), over_trials(row, name)?))).collect();
            let departures = self.book.departures(ran.part, &row.facts);
            json!({
                "experiment": ran.part.file, "setting": ran.part.setting, "algorithm": row.algorithm,
                "level": number(row.level), "step": row.facts.get("steps"),
                "departures": departures.into_iter().map(|d| d.short).collect::<Vec<_>>(), "values": values,
            })
        };
        let apart = |(ran, row): (&Ran<'_>, &Row)| {
            let mean = |column: &str| row.over_trials(column).map(|s| s.mean);
            json!({
                "experiment": ran.part.file, "algorithm": row.algorithm,
                "label": number(mean("promised").unwrap_or(row.level)), "before": mean("before"),
                "first": over_trials(row, "first"), "norm": over_trials(row, "norm"),
                "first_own_noise": over_trials(row, "first_own_noise"),
                "adversary_right": mean("adversary_right"), "epsilon_at_least": mean("epsilon_at_least"),
            })
        };
        let statement = |(section, st): (&Written, &checks::Statement)| json!({ "section": section.title, "claim": st.claim, "verdict": checks::word(st.holds), "figures": st.figures });
        let all: Vec<&Ran<'_>> = self.ran.iter().collect();
        let said = sections.iter().flat_map(|s| s.statements.iter().map(move |st| (s, st)));
        json!({
            "dpsda": env!("CARGO_PKG_VERSION"), "interrupted": self.interrupted,
            "statements": said.map(statement).collect::<Vec<_>>(), "rows": rows(&all).map(measured).collect::<Vec<_>>(),
            "worlds": rows(&all).filter(|(_, row)| !row.worlds.is_empty()).map(apart).collect::<Vec<_>>(),
        })
    }
}
