//! What stands in a cell of the table, and the value behind it.

use dpsda::metric::{self, Metric, Unit};
use serde_json::Value;

use crate::text::{count, escape, label, number, price, spread};

/// The text of a cell; without a metric it is a setting. Digits are rounded only where they were computed; a setting is shown as
/// it was set.
pub(super) fn shown(metric: Option<&Metric>, value: &Value, row: &Value) -> String {
    let (Some(metric), false) = (metric, empty(value)) else {
        return if empty(value) { String::new() } else { label(value) };
    };
    let Some(v) = real(value) else { return label(value) };
    match metric.unit {
        Unit::Share => format!("{:.2}", 100.0 * v),
        Unit::Epsilon if metric.is_fact() => price(v),
        Unit::Count | Unit::Rounds if metric.is_fact() => value.as_u64().map_or_else(|| label(value), count),
        _ if metric.is_fact() => label(value),
        _ => match deviation(metric) {
            Some(column) => spread(v, row.get(column).and_then(real)),
            None => number(v, 4),
        },
    }
}

/// The value in full, where the text of its cell is shorter and the difference matters.
pub(super) fn exact(metric: Option<&Metric>, value: &Value) -> Option<String> {
    let whole = label(value);
    metric
        .filter(|m| m.unit == Unit::Epsilon && !empty(value) && shown(Some(m), value, value) != whole)
        .map(|_| whole)
}

/// The column of the standard deviation that stands behind a value.
fn deviation(metric: &Metric) -> Option<&'static str> {
    let other = metric::all().beside(metric)?;
    let spread = other.column.as_ref()?.spread?;
    other.column_name().filter(|_| !spread.error)
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

/// A claim by its first words. The rest opens on a click, and shows under the pointer.
pub(super) fn words(text: &str) -> String {
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
        let accuracy = metric::all().get(&metric::accuracy_test_last::LISTING);
        let cell = |v: f64| shown(accuracy, &v.into(), &Value::Null);
        assert_eq!(
            (cell(0.68), cell(0.669_51), cell(1.0)),
            ("68.00".into(), "66.95".into(), "100.00".into())
        );
    }

    #[test]
    fn a_privacy_loss_is_as_short_as_it_was_asked_for_and_whole_under_the_pointer() {
        let epsilon = metric::all().get(&metric::epsilon::LISTING);
        let cell = |v: f64| (shown(epsilon, &v.into(), &Value::Null), exact(epsilon, &v.into()));
        assert_eq!(cell(0.099_995), ("0.1".into(), Some("0.099995".into())));
        assert_eq!(cell(0.2), ("0.2".into(), None));
    }

    #[test]
    fn counts_have_commas_and_levels_all_their_digits() {
        let cell = |listing, v: Value| shown(metric::all().get(listing), &v, &Value::Null);
        assert_eq!(cell(&metric::rounds::LISTING, 12_800.into()), "12,800");
        assert_eq!(cell(&metric::level::LISTING, 0.123_456.into()), "0.123456");
    }

    #[test]
    fn a_claim_is_cut_to_its_first_words_and_kept_whole_behind_them() {
        assert_eq!(words("none"), "none");
        assert_eq!(
            words("eps 0.5 per round, whole run (discrete-laplace)"),
            "<details title=\"eps 0.5 per round, whole run (discrete-laplace)\"><summary>eps 0.5 per round<i>…</i>\
             </summary><span>whole run (discrete-laplace)</span></details>"
        );
        assert!(words("unbounded: no <clip>").contains("<summary>unbounded<i>"));
        assert!(!words("a: <b>").contains("<b>"));
    }
}
