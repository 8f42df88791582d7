//! The summary as a table on a terminal.

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use dpsda::metric::{self, Column, Metric, Terminal, Unit};
use serde_json::{Map, Value};

/// A line under the header and nothing else.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// A swept value is cut after this many characters.
const WIDEST: usize = 24;

/// A metric that the table shows.
struct SummaryColumn {
    metric: &'static Metric,
    /// Its column in the summary.
    column: &'static str,
    heading: &'static str,
    /// On a narrow terminal, the columns of least worth are left out first.
    worth: u8,
}

/// Whether a column replaces one that has values here.
fn replaced(column: &Column, rows: &[Map<String, Value>]) -> bool {
    let other = column.instead.and_then(|other| metric::all().get(other)?.column_name());
    other.is_some_and(|other| rows.iter().any(|row| row.get(other).is_some_and(|v| !v.is_null())))
}

/// The metrics that the table shows and that have values here: measurements first, then facts about the run.
fn shown(rows: &[Map<String, Value>]) -> Vec<SummaryColumn> {
    let one = |metric: &'static Metric| {
        let column = metric.column_name()?;
        let Terminal::Value { heading, worth, unless_zero } = metric.column.as_ref()?.terminal? else {
            return None;
        };
        let mut values = rows.iter().filter_map(|row| row.get(column)).filter(|v| !v.is_null());
        let told = if unless_zero { values.any(|v| *v != 0.0) } else { values.next().is_some() };
        let told = told && !metric.column.as_ref().is_some_and(|column| replaced(column, rows));
        told.then_some(SummaryColumn { metric, column, heading, worth })
    };
    let mut all: Vec<SummaryColumn> = metric::all().shown().into_iter().filter_map(one).collect();
    all.sort_by_key(|shown| shown.metric.is_fact());
    all
}

/// The columns that name rows: the fixed ones, then the swept keys.
fn names<'a>(rows: &[Map<String, Value>], swept: &[&'a str]) -> Vec<&'a str> {
    let told = |name: &str| rows.iter().any(|row| row.get(name).is_some_and(|v| !v.is_null()));
    let names_rows = |m: &&Metric| m.column.as_ref().is_some_and(|c| c.terminal == Some(Terminal::Row));
    let first =
        metric::all().iter().filter(names_rows).filter_map(Metric::column_name).filter(|name| told(name));
    let mut names: Vec<&str> = first.collect();
    for key in swept {
        // A key that is already a column of the summary gets no second one.
        let same =
            metric::all().of_key(key).filter(|metric| metric.setting.is_some_and(|setting| setting.same));
        let name = same.and_then(Metric::column_name).unwrap_or(key);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether a swept key says in every row what a column says. Then the column would only repeat it, under the same heading. The files
/// have both: what was asked for, and what the run has.
fn repeats(column: &SummaryColumn, rows: &[Map<String, Value>], swept: &[&str]) -> bool {
    let told = |row: &Map<String, Value>, name: &str| row.get(name).is_some_and(|value| !value.is_null());
    let answers = |key: &str| {
        metric::all().of_key(key).and_then(Metric::column_name) == Some(column.column)
            && rows.iter().all(|row| told(row, key) || !told(row, column.column))
    };
    swept.iter().any(|key| answers(key))
}

/// The rows, with all columns that have values and that fit. `swept` are the keys that tell rows apart.
pub(crate) fn summary(rows: &[Map<String, Value>], swept: &[&str]) -> String {
    let (mut columns, names) = (shown(rows), names(rows, swept));
    columns.retain(|column| !repeats(column, rows, swept));
    loop {
        let table = draw(rows, &names, swept, &columns);
        let width = table.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let fits = table.width().is_none_or(|room| width <= usize::from(room));
        let least = (0..columns.len()).min_by_key(|c| columns[*c].worth).filter(|_| columns.len() > 1);
        match least {
            Some(least) if !fits => drop(columns.remove(least)),
            _ => return table.to_string(),
        }
    }
}

/// A table of text, numbers to the right.
pub(crate) fn grid(header: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled);
    let line = |cells: Vec<String>| {
        let cell = |(k, text): (usize, String)| if k == 0 { Cell::new(text) } else { right(text) };
        cells.into_iter().enumerate().map(cell).collect::<Vec<_>>()
    };
    table.set_header(line(header));
    rows.into_iter().for_each(|row| _ = table.add_row(line(row)));
    table.to_string()
}

fn draw(rows: &[Map<String, Value>], keys: &[&str], swept: &[&str], columns: &[SummaryColumn]) -> Table {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled);
    let names = keys.iter().map(|key| dpsda_web::short_name(key, swept));
    let header = names.chain(columns.iter().map(|c| c.heading));
    table.set_header(
        header.enumerate().map(|(k, text)| if k == 0 { Cell::new(text) } else { right(text.into()) }),
    );
    for row in rows {
        let get = |name: &str| row.get(name).unwrap_or(&Value::Null);
        let name = keys.iter().enumerate();
        let mut cells: Vec<_> = name
            .map(|(k, key)| if k == 0 { Cell::new(plain(get(key))) } else { right(plain(get(key))) })
            .collect();
        for c in columns {
            let spread = metric::all().beside(c.metric).and_then(Metric::column_name);
            let share = c.metric.unit == Unit::Share;
            cells.push(right(number(get(c.column), share, spread.and_then(|spread| get(spread).as_f64()))));
        }
        table.add_row(cells);
    }
    table
}

fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

fn plain(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(s) => s.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn number(value: &Value, share: bool, sd: Option<f64>) -> String {
    match (value.as_f64(), share) {
        (None, _) => plain(value),
        (Some(x), true) => format!("{:.1} %", 100.0 * x),
        (Some(x), false) => match sd {
            // A deviation that is only rounding error counts as 0.
            Some(sd) => format!("{} ± {}", digits(x), digits(if sd < 1e-12 * x.abs() { 0.0 } else { sd })),
            None => digits(x),
        },
    }
}

/// Three significant digits, without an exponent where that is readable.
fn digits(x: f64) -> String {
    let size = x.abs();
    if size == 0.0 || size.fract() == 0.0 && size < 1e6 {
        return format!("{x}");
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{x:.2e}");
    }
    let rounded: f64 = format!("{size:.2e}").parse().unwrap_or(size); // 0.09996 is 0.100
    let decimals = (2 - rounded.log10().floor() as i32).max(0) as usize;
    format!("{x:.decimals$}")
}
