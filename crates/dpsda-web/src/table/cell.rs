//! What stands in a cell of the table, and the value behind it.

use serde_json::Value;

use crate::{
    columns::{COLUMNS, percent},
    text::{escape, label, number, spread},
};

/// The text of a cell.
pub(super) fn shown(key: &str, value: &Value, row: &Value) -> String {
    match real(value) {
        _ if empty(value) => String::new(),
        Some(v) if percent(key) => format!("{:.2}", 100.0 * v),
        Some(v) if key == "regret_per_round" => spread(v, row.get("regret_per_round_sd").and_then(real)),
        Some(v) if measured(key) => number(v, 4),
        _ => label(value),
    }
}

/// Digits are rounded only where they were computed; a setting is shown as it was set.
fn measured(key: &str) -> bool {
    COLUMNS.iter().any(|c| c.key == key && !matches!(c.key, "level" | "epsilon" | "delta"))
}

/// The value as it would stand in a CSV file.
pub(super) fn raw(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}

pub(super) fn empty(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

pub(super) fn real(value: &Value) -> Option<f64> {
    match value.as_str() {
        Some("inf") => Some(f64::INFINITY),
        Some("-inf") => Some(f64::NEG_INFINITY),
        _ => value.as_f64(),
    }
}

/// A claim by its first words; the rest opens on demand, and is there for whoever points at it.
pub(super) fn claim(text: &str) -> String {
    let end = [": ", ", ", "; ", " ("].iter().filter_map(|stop| text.find(stop)).min();
    match end.and_then(|at| text.split_at_checked(at)).filter(|(first, _)| !first.is_empty()) {
        Some((first, rest)) => format!(
            "<details title=\"{}\"><summary>{}<i>…</i></summary><span>{}</span></details>",
            escape(text),
            escape(first),
            escape(rest.trim_start_matches([':', ',', ';', ' ']))
        ),
        None => escape(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_two_places_also_when_they_are_whole() {
        let cell = |v: f64| shown("accuracy_test_last", &v.into(), &Value::Null);
        assert_eq!(
            (cell(0.68), cell(0.669_51), cell(1.0)),
            ("68.00".into(), "66.95".into(), "100.00".into())
        );
    }

    #[test]
    fn a_claim_is_cut_to_its_first_words_and_kept_whole_behind_them() {
        assert_eq!(claim("none"), "none");
        assert_eq!(
            claim("eps 0.5 per round, whole run (discrete-laplace)"),
            "<details title=\"eps 0.5 per round, whole run (discrete-laplace)\"><summary>eps 0.5 per round<i>…</i>\
             </summary><span>whole run (discrete-laplace)</span></details>"
        );
        assert!(claim("unbounded: no <clip>").contains("<summary>unbounded<i>"));
        assert!(!claim("a: <b>").contains("<b>"));
    }
}
