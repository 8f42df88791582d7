//! The summary as a table on a terminal.

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use serde_json::{Map, Value};

/// A line under the header and nothing else.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// A swept value is shown so far.
const WIDEST: usize = 24;

/// A column of the summary as the table shows it.
struct Column {
    name: &'static str,
    heading: &'static str,
    /// Whether it is a share of one.
    share: bool,
    /// Those with the least go first where the terminal is narrow.
    worth: u8,
}

const fn column(name: &'static str, heading: &'static str, share: bool, worth: u8) -> Column {
    Column { name, heading, share, worth }
}

const COLUMNS: [Column; 12] = [
    column("regret_per_round", "regret/T", false, 10),
    column("pseudo_regret_per_round", "pseudo/T", false, 1),
    column("regret_exponent", "regret ~ T^p", false, 9),
    column("averaged_regret_per_round", "averaged/T", false, 6),
    column("fitness", "cost", false, 5),
    column("accuracy_progressive", "online", true, 7),
    column("accuracy_test_last", "test, last", true, 8),
    column("accuracy_test_averaged", "test, avg", true, 9),
    column("disagreement", "disagree", false, 3),
    column("violation_max", "outside", false, 4),
    column("staleness_max", "stale", false, 2),
    column("epsilon", "epsilon", false, 11),
];

/// The rows, with the columns that have something to say and that fit. `swept` are the keys that tell rows apart.
pub(crate) fn summary(rows: &[Map<String, Value>], swept: &[&str]) -> String {
    let told = |name: &str| rows.iter().any(|row| row.get(name).is_some_and(|v| !v.is_null()));
    let outside = rows.iter().any(|row| row.get("violation_max").is_some_and(|v| *v != 0.0));
    let mut columns: Vec<_> =
        COLUMNS.iter().filter(|c| told(c.name) && (c.name != "violation_max" || outside)).collect();
    let mut keys: Vec<&str> = vec!["algorithm"];
    keys.extend(told("level").then_some("level"));
    // Algorithm and level stand in columns of their own, and the mechanism under a name of its own.
    let others = swept.iter().filter(|key| !matches!(**key, "algorithm.name" | "privacy.level"));
    keys.extend(others.map(|key| if *key == "privacy.mechanism" { "mechanism" } else { *key }));
    loop {
        let table = draw(rows, &keys, swept, &columns);
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

fn draw(rows: &[Map<String, Value>], keys: &[&str], swept: &[&str], columns: &[&Column]) -> Table {
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
            let sd = match c.name {
                "regret_per_round" => get("regret_per_round_sd").as_f64(),
                "regret_exponent" => get("regret_exponent_se").as_f64(),
                _ => None,
            };
            cells.push(right(number(get(c.name), c.share, sd)));
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
            // A deviation of rounding errors is none.
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
    let decimals = (2 - size.log10().floor() as i32).max(0) as usize;
    format!("{x:.decimals$}")
}
