//! A page that sets the paper's section 6 beside ours: figures redrawn, tables with both numbers, statements that hold or
//! do not. What stands on it is handed in as a [`Book`]; this is how it looks, and it looks like the report of a run.

mod blocks;
mod contents;
mod plot;
mod table;

use crate::{
    Run,
    bands::bands,
    shell::{Page, shell},
    text::escape,
};

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
    /// Small, above the title: version, seed.
    pub meta: String,
    /// What it is, a paragraph each.
    pub lead: Vec<String>,
    /// What a reader must know first.
    pub notices: Vec<String>,
    /// The rest, in order.
    pub sections: Vec<Section>,
}

/// A part of the page that can be linked to.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// What it is linked by.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What stands in it, in order.
    pub blocks: Vec<Block>,
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
    /// A title, then terms and what is said of them.
    Notes(String, Vec<(String, String)>),
    /// Pages that say more: their names and addresses.
    Links(Vec<(String, String)>),
    /// A title, folded, and an experiment's file.
    Toml(String, String),
}

/// Panels that share their axes.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Its heading.
    pub title: String,
    /// What to see in it.
    pub caption: String,
    /// What runs to the right.
    pub across: Scale,
    /// What runs up.
    pub up: Scale,
    /// From left to right.
    pub panels: Vec<Panel>,
}

/// How an axis is drawn.
#[derive(Clone, Debug, Default)]
pub struct Scale {
    /// What it measures.
    pub label: String,
    /// Whether equal ratios are equally long.
    pub log: bool,
}

/// One panel.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Its heading.
    pub title: String,
    /// Its curves; of two that meet, the later lies on top.
    pub lines: Vec<Line>,
    /// Where something happens, and what.
    pub marks: Vec<(f64, String)>,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is called; lines of one name look alike in all panels.
    pub name: String,
    /// Its colour.
    pub ink: Ink,
    /// Whether it is dashed.
    pub dashed: bool,
    /// From left to right.
    pub points: Vec<Point>,
}

/// The colour of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ink {
    /// One of the eight hues that tell names apart.
    Hue(u8),
    /// A share of the way along the ramp that orders quantities.
    Ramp(f64),
    /// The centralised floor: wide, pale, under the others.
    Floor,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// How far to the right.
    pub t: f64,
    /// How high.
    pub value: f64,
    /// The band around it.
    pub band: Option<(f64, f64)>,
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What is in it.
    pub caption: String,
    /// Its columns.
    pub heads: Vec<Head>,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// The head of a column.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// Neighbours of one group stand under one heading.
    pub group: String,
    /// Its own heading.
    pub label: String,
    /// Whether it holds numbers.
    pub numbers: bool,
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Whether a rule sets it off from the one before.
    pub first: bool,
    /// One a column.
    pub cells: Vec<Cell>,
}

/// What stands in a cell.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// In full size.
    pub text: String,
    /// Below it, small.
    pub small: String,
    /// Whether it is a number of the paper's.
    pub printed: bool,
}

/// Something claimed, and whether it is so.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The claim.
    pub claim: String,
    /// Whether it is so.
    pub verdict: Verdict,
    /// The figures that decide it.
    pub figures: Vec<String>,
}

/// Whether something claimed is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Holds,
    /// It is not.
    Fails,
    /// It cannot be said from what was run.
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
        nav: contents::contents(&book.sections),
        main: book.sections.iter().map(section).collect(),
        style: OWN_STYLE,
        data: String::new(),
        script: SCRIPT,
    })
}

fn section(section: &Section) -> String {
    let (id, title) = (escape(&section.id), escape(&section.title));
    let body: String = section.blocks.iter().map(blocks::block).collect();
    format!(
        "<section id=\"{id}\" aria-labelledby=\"h-{id}\"><h2 id=\"h-{id}\">{title}</h2>\n{body}</section>\n"
    )
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
