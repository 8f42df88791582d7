//! What a run looks like: the self-contained `report.html`, and a picture for a README.
//!
//! Input is the contents of run folders ([`RunFolder`]), output is text. No I/O, no clock: the same input gives the same bytes.
//! Names, labels and notes of everything measured come from [`dpsda::metric`].

mod against;
mod axis;
mod bands;
mod cells;
mod config;
mod data;
mod frame;
mod header;
mod html;
mod look;
mod names;
mod network;
mod page;
mod picture;
mod plot;
mod privacy;
pub mod reproduction;
mod shell;
mod still;
mod table;
pub mod text;
mod toml;

pub use picture::bars::Bar;

#[cfg(test)]
extern crate self as dpsda_web;
#[cfg(test)]
#[path = "../tests/synthetic/run.rs"]
mod synthetic;

/// The contents of one run folder.
#[derive(Clone, Debug, Default)]
pub struct RunFolder {
    /// The folder's name; tells runs apart when several are compared.
    pub name: String,
    /// `manifest.json`. Keys may be missing: the page shows those that are there.
    pub manifest: serde_json::Value,
    /// One object per row of `summary.csv`; infinity is the string `"inf"`.
    pub summary: Vec<serde_json::Value>,
    /// `series.csv`.
    pub series: Series,
}

/// `series.csv`: run, trial and t, then one column per metric. An empty field is `None`.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Names of the columns, in the order of the file.
    pub columns: Vec<String>,
    /// One row per run, trial and round.
    pub rows: Vec<Vec<Option<f64>>>,
}

/// The whole page. One run: its report. Several: a comparison.
pub fn report(runs: &[RunFolder]) -> String {
    page::page(runs)
}

impl Series {
    /// Where a column stands in every row.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// A short name for a swept key: its last words, as many as tell it apart from every column and from the other keys of
/// `swept`.
pub fn short_name<'a>(key: &'a str, swept: &[&str]) -> &'a str {
    names::short(key, swept)
}

/// Ratios as horizontal bars, a standalone SVG, 800 wide: one panel per name of a panel, with a line at 1.
pub fn bars(title: &str, note: &str, bars: &[Bar]) -> String {
    picture::bars::draw(title, note, bars)
}

/// Regret per round by algorithm as a standalone SVG, 800 wide: one panel per level, at most four.
pub fn picture(run: &RunFolder) -> String {
    picture::draw(run)
}
