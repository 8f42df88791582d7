//! What a run looks like: the self-contained `report.html`, and a picture for a README.
//!
//! Takes run folders as read (`Run`) and gives text. No I/O, no clock: same input, same bytes.

mod against;
mod axis;
mod bands;
mod cells;
mod columns;
mod config;
mod data;
mod frame;
mod header;
mod look;
mod measures;
mod names;
mod network;
mod page;
mod picture;
mod privacy;
pub mod reproduction;
mod shell;
mod table;
pub mod text;
mod toml;

#[cfg(test)]
extern crate self as dpsda_web;
#[cfg(test)]
#[path = "../tests/synthetic/run.rs"]
mod synthetic;

/// One run folder, read.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The folder's name; tells runs apart when several are compared.
    pub name: String,
    /// `manifest.json`. Keys may be missing: what is there is shown.
    pub manifest: serde_json::Value,
    /// One object per row of `summary.csv`; infinity is the string `"inf"`.
    pub summary: Vec<serde_json::Value>,
    /// `series.csv`.
    pub series: Series,
}

/// `series.csv`: `columns` starts with run, trial, t; an empty cell is `None`.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Names of the columns, in the order of the file.
    pub columns: Vec<String>,
    /// One row per run, trial and round.
    pub rows: Vec<Vec<Option<f64>>>,
}

/// The whole page. One run: its report. Several: a comparison.
pub fn report(runs: &[Run]) -> String {
    page::page(runs)
}

/// The columns of `summary.csv` and what each means in one line, in the order of the page's table.
pub fn columns() -> Vec<(&'static str, &'static str)> {
    columns::COLUMNS.iter().map(|c| (c.key, c.note)).collect()
}

/// What a swept key is called where there is little room: its last word, or as much of it as no column and no other key
/// of `swept` is called by too.
pub fn short_name<'a>(key: &'a str, swept: &[&str]) -> &'a str {
    names::short(key, swept)
}

/// Regret per round by algorithm as a standalone SVG, 800 wide: one panel per level, at most four.
pub fn picture(run: &Run) -> String {
    picture::draw(run)
}
