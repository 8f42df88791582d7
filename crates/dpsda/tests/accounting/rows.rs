//! Rows of a fixture.

use std::path::Path;

use serde_json::Value;

/// One question and its answer.
pub(crate) struct Row(Value);

impl Row {
    /// A number of it.
    pub(crate) fn get(&self, key: &str) -> f64 {
        self.0[key].as_f64().unwrap_or_else(|| panic!("{self}: no number {key}"))
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The rows of one kind; there must be some.
pub(crate) fn rows(file: &str, kind: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/accounting").join(file);
    let all: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let rows: Vec<Row> = all.into_iter().filter(|row| row["kind"] == kind).map(Row).collect();
    assert!(!rows.is_empty(), "{file} has no {kind}");
    rows
}

/// Whether `a` is `b` within a relative distance.
pub(crate) fn near(a: f64, b: f64, within: f64) -> bool {
    (a - b).abs() <= within * a.abs().max(b.abs())
}
