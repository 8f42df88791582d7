//! Which columns the table shows, and in which order.

use dpsda::metric::{self, Column, Id, Metric, rounds, trials};

use super::TableRow;
use super::cell::empty;
use crate::names::{FOLDER, column_of, short};

/// A column as this table shows it.
pub(super) struct TableColumn {
    pub(super) key: String,
    /// Its name in the charts.
    pub(super) name: String,
    pub(super) label: String,
    pub(super) note: String,
    pub(super) main: bool,
    /// What it measures; none for a swept key and for the folder.
    pub(super) metric: Option<&'static Metric>,
}

impl TableColumn {
    pub(super) fn is(&self, metric: impl Into<Id>) -> bool {
        self.metric.map(Id::from) == Some(metric.into())
    }
}

/// Columns with at least one value: the metrics in their order, then swept keys. A column that tells rows apart is shown at once:
/// it was swept, or the rows are of runs of different length.
pub(super) fn columns(rows: &[TableRow<'_>], several: bool, keys: &[&str]) -> Vec<TableColumn> {
    let mut shown = Vec::new();
    if several {
        shown.push(TableColumn {
            key: FOLDER.into(),
            name: FOLDER.into(),
            label: FOLDER.into(),
            note: "The run folder that the row comes from.".into(),
            main: true,
            metric: None,
        });
    }
    let used = |key: &str| rows.iter().any(|r| r.values.get(key).is_some_and(|v| !empty(v)));
    let varies = |key: &str| {
        let first = rows.first().and_then(|r| r.values.get(key));
        rows.iter().any(|r| r.values.get(key) != first)
    };
    let apart = |key: &str| {
        let counted = [rounds::LISTING.name, trials::LISTING.name].contains(&key);
        varies(key) && (counted || keys.iter().any(|k| column_of(k) == Some(key)))
    };
    let replaced = |column: &Column| {
        let other = column.instead.and_then(|other| metric::all().get(other)?.column_name());
        other.is_some_and(used)
    };
    let known = |metric: &'static Metric| {
        let (column, key) = (metric.column.as_ref()?, metric.column_name()?);
        used(key).then(|| TableColumn {
            key: key.into(),
            name: key.into(),
            label: column.heading.to_string(),
            note: metric.note.into(),
            main: column.main && !replaced(column) || apart(key),
            metric: Some(metric),
        })
    };
    shown.extend(metric::all().shown().into_iter().filter_map(known));

    let mut swept: Vec<TableColumn> = Vec::new();
    for key in rows.iter().filter_map(|r| r.values.as_object()).flat_map(|o| o.keys()) {
        if metric::all().of_column(key).is_some() || swept.iter().any(|s| s.key == *key) || !used(key) {
            continue;
        }
        // `privacy.level` repeats `level`, and a key that never varies tells nothing apart: both can wait.
        let known = column_of(key).is_some();
        swept.push(TableColumn {
            // Beside the column that it repeats, it has its full name.
            label: if known { key.as_str() } else { short(key, keys) }.into(),
            name: short(key, keys).into(),
            note: format!("{key}, as set for the run."),
            main: varies(key) && !known,
            metric: None,
            key: key.clone(),
        });
    }
    // Settings stand beside the algorithm, before anything measured.
    let after = shown.iter().position(|c| c.metric.is_some_and(|metric| !metric.is_fact()));
    let (main, more): (Vec<_>, Vec<_>) = swept.into_iter().partition(|c| c.main);
    let at = after.unwrap_or(shown.len());
    shown.splice(at..at, main);
    shown.extend(more);
    shown
}
