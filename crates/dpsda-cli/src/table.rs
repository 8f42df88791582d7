//! The summary as a table on a terminal.

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use serde_json::{Map, Value};

/// A line under the header and nothing else.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// Column, heading, and whether it is a share of one.
const COLUMNS: [(&str, &str, bool); 10] = [
    ("regret_per_round", "regret/T", false),
    ("pseudo_regret_per_round", "pseudo/T", false),
    ("averaged_regret_per_round", "averaged/T", false),
    ("fitness", "cost", false),
    ("accuracy_progressive", "online", true),
    ("accuracy_test_last", "test, last", true),
    ("accuracy_test_averaged", "test, avg", true),
    ("disagreement", "disagree", false),
    ("staleness_max", "stale", false),
    ("epsilon", "epsilon", false),
];

/// The rows, with the columns that have something to say.
pub(crate) fn summary(rows: &[Map<String, Value>]) -> String {
    let told = |name: &str| rows.iter().any(|row| row.get(name).is_some_and(|v| !v.is_null()));
    let swept: Vec<&String> =
        rows.first().map_or_else(Vec::new, |row| row.keys().filter(|k| k.contains('.')).collect());
    let columns: Vec<_> = COLUMNS.into_iter().filter(|(name, ..)| told(name)).collect();
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic);
    let mut header = vec!["algorithm".to_owned()];
    header.extend(told("level").then(|| "level".to_owned()));
    header.extend(swept.iter().map(|key| (*key).clone()));
    header.extend(columns.iter().map(|(_, heading, _)| (*heading).to_owned()));
    table.set_header(header);
    for row in rows {
        let get = |name: &str| row.get(name).unwrap_or(&Value::Null);
        let mut cells = vec![Cell::new(plain(get("algorithm")))];
        let keys = told("level").then_some("level").into_iter().chain(swept.iter().map(|k| k.as_str()));
        cells.extend(keys.map(|key| right(plain(get(key)))));
        for (name, _, share) in &columns {
            let sd = if *name == "regret_per_round" { get("regret_per_round_sd").as_f64() } else { None };
            cells.push(right(number(get(name), *share, sd)));
        }
        table.add_row(cells);
    }
    table.to_string()
}

fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}

fn number(value: &Value, share: bool, sd: Option<f64>) -> String {
    match (value.as_f64(), share) {
        (None, _) => plain(value),
        (Some(x), true) => format!("{:.1} %", 100.0 * x),
        (Some(x), false) => match sd {
            Some(sd) => format!("{} ± {}", digits(x), digits(sd)),
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
