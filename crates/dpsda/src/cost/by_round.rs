//! Numbers of every round, such as the losses of experts.

use std::ops::Range;

use super::{NumberTable, UsedColumns};
use crate::Error;

/// Numbers by round. Every round has the same count of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ByRound {
    width: usize,
    numbers: Vec<f64>,
    /// Where they were read.
    columns: Vec<UsedColumns>,
}

impl ByRound {
    /// Rows of the same length, at least one. Errors call the rows `name` and their numbers `what`.
    pub(super) fn new(
        name: &str,
        rows: &[Vec<f64>],
        what: &str,
        fits: impl Fn(f64) -> bool,
    ) -> Result<Self, Error> {
        let width = rows.first().map_or(0, Vec::len);
        if width == 0 {
            return Err(Error::value(name, "[]", format!("expected at least one round with {what}")));
        }
        for (t, row) in rows.iter().enumerate() {
            if row.len() != width {
                let remedy = format!("round 0 has {width} numbers (every round needs the same)");
                return Err(Error::value(format!("{name}[{t}]"), format!("{} numbers", row.len()), remedy));
            }
            if let Some(k) = row.iter().position(|x| !fits(*x)) {
                return Err(Error::value(format!("{name}[{t}][{k}]"), row[k], format!("expected {what}")));
            }
        }
        Ok(Self { width, numbers: rows.concat(), columns: Vec::new() })
    }

    /// The rows of some columns of a table. `role` is what they are, and `what` is what a number must be. Errors name the line and
    /// the column.
    pub(super) fn read(
        table: &NumberTable,
        columns: &[usize],
        role: &'static str,
        what: &str,
        fits: impl Fn(f64) -> bool,
    ) -> Result<Self, Error> {
        let rows = table.pick(columns)?;
        for (t, row) in rows.iter().enumerate() {
            if let Some(k) = row.iter().position(|x| !fits(*x)) {
                return Err(Error::data(table.place(t, columns[k]), format!("expected {what}")));
            }
        }
        if rows.is_empty() || columns.is_empty() {
            return Err(Error::data(table.name(), format!("expected at least one row with {what}")));
        }
        let used = UsedColumns::of(table, &[(role, false, columns)]);
        Ok(Self { width: columns.len(), numbers: rows.concat(), columns: used })
    }

    /// `draw` appends the numbers of one round, always `width` of them.
    pub(super) fn draw(width: usize, rounds: u64, mut draw: impl FnMut(u64, &mut Vec<f64>)) -> Self {
        let mut numbers = Vec::new();
        (0..rounds).for_each(|t| draw(t, &mut numbers));
        Self { width, numbers, columns: Vec::new() }
    }

    /// The columns that the numbers were read from.
    pub(super) fn columns(&self) -> Vec<UsedColumns> {
        self.columns.clone()
    }

    /// The mean of all numbers.
    pub(super) fn average(&self) -> f64 {
        self.numbers.iter().sum::<f64>() / self.numbers.len().max(1) as f64
    }

    /// How many numbers a round has.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn rounds(&self) -> u64 {
        (self.numbers.len() / self.width.max(1)) as u64
    }

    /// The numbers of round `t`; none after the last round.
    pub(super) fn at(&self, t: u64) -> Option<&[f64]> {
        let t = usize::try_from(t).ok()?;
        self.numbers.chunks_exact(self.width.max(1)).nth(t)
    }

    /// The rows of some rounds. Rounds after the last one have none.
    pub(super) fn rows(&self, rounds: Range<u64>) -> std::slice::ChunksExact<'_, f64> {
        let place = |t: u64| t.min(self.rounds()) as usize * self.width;
        let numbers = self.numbers.get(place(rounds.start)..place(rounds.end)).unwrap_or(&[]);
        numbers.chunks_exact(self.width.max(1))
    }
}
