//! A small book, and runs for it.

use dpsda_web::reproduction::{Findings, PaperBook, Ran, RunRow};
use dpsda_web::{RunFolder, Series};
use serde_json::Value;

/// One section about one experiment: a text, a table, a figure and two statements.
pub(crate) const BOOK: &str = r#"
title = "Theirs and ours"
lead = ["Both."]
levels = [inf, 1.0]
bands = "Means over {{trials}}."
columns = ["fitness"]
[effort]
full = { pairs = 1, runs = 10 }
quick = { pairs = 1, runs = 2, trials = 2 }
[decide]
trials = 3
runs = 10
confidence = 0.95
rule = "Fewer than {{fewest}} trials decide nothing."
[[algorithm]]
name = "a"
hue = 0
[[algorithm]]
name = "b"
hue = 1
[[algorithm]]
name = "floor"
[measure]
fitness = { name = "Cost", places = 3, lower = true }
[column]
setting = { label = "setting" }
level = { label = "level" }
paper = { group = "cost", label = "paper", printed = "cost", places = 2 }
ours = { group = "cost", label = "ours", value = "fitness", places = 2 }
[panels]
levels = [{ title = "A", who = ["a"] }]
algorithms = [{ title = "p", who = ["a", "b", "floor"], levels = [inf] }]
[claim]
ahead = "{{measure}} on {{data}}, {{setting}}: {{who}} is ahead of {{than}} at {{levels}}."
not-behind = "{{who}} is not behind {{than}}."
worse-with-noise = "{{who}}: the more noise, the worse."
falls = "It falls."
[paper]
rounds = 60
weights = { a = "uniform" }
[data.d]
name = "data"
paper = {}
[[departure]]
of = "rounds"
short = "{{rounds}} rounds"
why = "The paper has {{paper}} rounds."
[[departure]]
of = "weights"
only = { rounds = ["60"] }
short = "{{weights}} weights"
term = "weights"
why = "Not {{paper}}."
[[experiment]]
file = "x"
data = "d"
setting = "as printed"
ours = "our steps"
tune = { rules = 1, by = "online", steps = [0.1, 1] }
[[section]]
title = "One"
targets = [{ name = "one", title = "Table 1", takes = ["x"] }]
[section.printed.cost]
a = [94.77, 90]
[[section.block]]
text = "Over {{trials}}."
[[section.block]]
[section.block.table]
caption = "Both numbers"
columns = ["setting", "paper", "ours"]
[[section.block]]
[section.block.figure]
title = "A figure"
caption = "What to see. {{bands}}"
column = "fitness"
across = "round T"
up = "cost"
log = ["up"]
panels = "algorithms"
[[section.statement]]
files = ["x"]
check = ["ahead"]
by = ["fitness"]
who = ["a"]
than = ["b"]
[[note]]
term = "all"
text = "Everywhere."
"#;

/// A row of an algorithm and level with values over trials.
pub(crate) fn row(run: i64, algorithm: &str, level: f64, fitness: &[f64]) -> RunRow {
    let values = [("fitness".to_owned(), fitness.to_vec())].into();
    RunRow { run, algorithm: algorithm.into(), level, values, ..RunRow::default() }
}

/// A series in which every run has these costs, round by round.
pub(crate) fn series(runs: &[(i64, &[(f64, f64)])]) -> Series {
    let columns = ["run", "trial", "t", "fitness"].map(String::from).to_vec();
    let point = |run: i64, t: f64, v: f64| vec![Some(run as f64), Some(0.0), Some(t), Some(v)];
    let rows = runs.iter().flat_map(|(run, points)| points.iter().map(|(t, v)| point(*run, *t, *v)));
    Series { columns, rows: rows.collect() }
}

/// The page and its JSON, of a book whose first experiment has these rows and this series.
pub(crate) fn report(book: &str, rows: Vec<RunRow>, series: Series) -> (String, Value) {
    let book = PaperBook::read(book).unwrap();
    let targets = book.targets(&[]).unwrap();
    let run = RunFolder { series, ..RunFolder::default() };
    let ran = Ran { part: &book.experiment[0], text: "title = 1", run, rows, words: [].into() };
    Findings { book: &book, ran: vec![ran], interrupted: false, scale: None }.report(&targets)
}
