//! A page that sets a paper beside our runs: its figures redrawn, its tables with both numbers, its statements decided.
//! A [`Book`] says what stands on the page. This module says how it looks: like the report of a run.

mod blocks;
mod plot;

use crate::Run;
use crate::bands::bands;
use crate::shell::{Page, shell};
use crate::text::escape;

const OWN_STYLE: &str = include_str!("../assets/reproduction.css");
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../assets/js/errors.js"),
    include_str!("../assets/js/theme.js"),
    include_str!("../assets/js/cue.js"),
    "makeTheme();\ndocument.querySelectorAll(\".scroll\").forEach((box) => cue(box, box.parentElement));\n",
    "root.dataset.ready = \"1\";\n})();\n",
);

/// The whole page.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// Its title.
    pub title: String,
    /// Small, above the title: version, contents.
    pub meta: String,
    /// What it is, one paragraph each.
    pub lead: Vec<String>,
    /// What a reader must know first.
    pub notices: Vec<String>,
    /// The rest, in order.
    pub sections: Vec<Section>,
}

/// A part of the page that can be linked to.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The name in its link.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What stands in it, in order.
    pub blocks: Vec<Block>,
}

impl Section {
    /// All statements of the section.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        let lists = self.blocks.iter().map(|b| if let Block::Statements(list) = b { &list[..] } else { &[] });
        lists.flatten()
    }
}

/// A piece of a section.
#[derive(Clone, Debug)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Panels of curves.
    Figure(Figure),
    /// A table.
    Table(Table),
    /// Claims, each decided.
    Statements(Vec<Statement>),
    /// A title, then terms with an explanation each.
    Notes(String, Vec<(String, String)>),
    /// Names and addresses of further pages.
    Links(Vec<(String, String)>),
    /// A title, folded, and the text of an experiment's file.
    Toml(String, String),
}

/// Panels that share their axes.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Its heading.
    pub title: String,
    /// What to see in it.
    pub caption: String,
    /// The label of the x-axis, and whether that axis is logarithmic.
    pub across: (String, bool),
    /// The label of the y-axis, and whether that axis is logarithmic.
    pub up: (String, bool),
    /// From left to right.
    pub panels: Vec<Panel>,
}

/// One panel.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Its heading.
    pub title: String,
    /// Its curves. Where two curves meet, the later one lies on top.
    pub lines: Vec<Line>,
    /// Places on the x-axis where something happens, and what happens there.
    pub marks: Vec<(f64, String)>,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name. Lines of one name look alike in all panels.
    pub name: String,
    /// Its colour.
    pub ink: Ink,
    /// From left to right.
    pub points: Vec<Point>,
}

/// The colour of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ink {
    /// One of the eight hues that tell names apart.
    Hue(u8),
    /// A step along the ramp that orders quantities, from 0, and the last step.
    Ramp(u8, u8),
    /// The centralised floor: wide, pale, under the others.
    Floor,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Its place on the x-axis.
    pub t: f64,
    /// Its place on the y-axis.
    pub value: f64,
    /// The lower and upper end of the band around it.
    pub band: Option<(f64, f64)>,
}

/// A table. Its first column holds words, all others hold numbers.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What is in it.
    pub caption: String,
    /// Group and label of each column. Neighbours of one group stand under one heading.
    pub heads: Vec<(String, String)>,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The subject of this row and the rows below it, on a line of its own above them.
    pub subject: Option<String>,
    /// One per column.
    pub cells: Vec<Cell>,
}

/// What stands in a cell.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// In full size.
    pub text: String,
    /// Below it, small.
    pub small: String,
    /// Whether the paper prints it.
    pub printed: bool,
}

/// A claim, and whether it holds.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The claim.
    pub claim: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// The figures that decide it.
    pub figures: Vec<String>,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does not.
    Fails,
    /// The runs do not decide it.
    Open,
}

impl Verdict {
    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "does not hold",
            Self::Open => "not decided",
        }
    }
}

/// The whole page as text. Same book, same bytes.
pub fn page(book: &Book) -> String {
    let paragraphs = |class: &str, list: &[String]| -> String {
        list.iter().map(|text| format!("<p class=\"{class}\">{}</p>\n", escape(text))).collect()
    };
    shell(&Page {
        title: &book.title,
        meta: escape(&book.meta),
        lead: paragraphs("lead", &book.lead),
        notices: paragraphs("warning", &book.notices),
        nav: blocks::contents(&book.sections),
        main: book.sections.iter().map(blocks::section).collect(),
        style: OWN_STYLE,
        script: SCRIPT,
        ..Page::default()
    })
}

/// The curve of every run of a folder in one column of its series: mean and one standard deviation over trials.
pub fn curves(run: &Run, column: &str) -> Vec<(i64, Vec<Point>)> {
    let found = bands(&run.series).into_iter().filter(|b| b.column == column).flat_map(|b| b.curves);
    found
        .map(|curve| {
            let curve = curve.thin(160);
            let points = curve.t.iter().zip(&curve.mean).zip(&curve.sd).map(|((t, mean), sd)| Point {
                t: *t as f64,
                value: *mean,
                band: sd.map(|sd| (mean - sd, mean + sd)),
            });
            (curve.run, points.collect())
        })
        .collect()
}
