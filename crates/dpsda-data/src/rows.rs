//! Sparse rows, written entry by entry.

use dpsda::Error;
use dpsda::features::sparse::Sparse;

/// Rows so far, and the entries of the one being written.
pub(super) struct Rows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Rows {
    pub(super) fn new() -> Self {
        Self { starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// One more entry of the row being written; columns must rise.
    pub(super) fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    /// The row is written.
    pub(super) fn end(&mut self) {
        self.starts.push(self.columns.len());
    }

    /// The largest column with an entry.
    pub(super) fn largest(&self) -> Option<u32> {
        self.columns.iter().copied().max()
    }

    /// All rows, in `dim` columns.
    pub(super) fn finish(self, dim: usize) -> Result<Sparse, Error> {
        Sparse::new(self.starts, self.columns, self.values, dim)
    }
}
