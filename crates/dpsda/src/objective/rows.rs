//! The rows of a batch, found once for all nodes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use fearless_simd::{Simd, dispatch};

use super::{Batch, Objective as _};
use crate::wide;

/// The rows of a batch: where their numbers are stored, and their labels. All nodes share them.
pub(crate) struct BatchRows<'a> {
    pub(super) batch: Batch<'a>,
    pub(super) numbers: RowNumbers<'a>,
    pub(super) labels: Vec<f64>,
}

/// All rows, as they are stored.
pub(super) enum RowNumbers<'a> {
    Double(Vec<&'a [f64]>),
    Single(Vec<&'a [f32]>),
    /// In another way.
    Other,
}

impl<'a> BatchRows<'a> {
    pub(crate) fn new(batch: Batch<'a>) -> Arc<Self> {
        let (features, rows) = (&batch.samples.features, batch.rows);
        let double = || rows.iter().map(|row| features.stored(*row)).collect::<Option<Vec<_>>>();
        let single = || rows.iter().map(|row| features.stored_single(*row)).collect::<Option<Vec<_>>>();
        let numbers = match (double(), single()) {
            (Some(rows), _) => RowNumbers::Double(rows),
            (_, Some(rows)) => RowNumbers::Single(rows),
            _ => RowNumbers::Other,
        };
        let labels = rows.iter().map(|row| batch.samples.labels[*row]).collect();
        Arc::new(Self { batch, numbers, labels })
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    /// All numbers as numbers of 64 bits, row after row; nothing is written if they are stored so.
    pub(crate) fn widen(&self, numbers: &mut Vec<f64>) {
        if !matches!(self.numbers, RowNumbers::Double(_)) {
            self.write(0..self.len(), &(0..self.batch.dim()), numbers);
        }
    }

    /// The same rows, where these numbers are theirs: they need not be converted again for every few columns.
    pub(crate) fn stored_as<'b>(&'b self, widened: &'b [f64]) -> BatchRows<'b> {
        let numbers = match &self.numbers {
            RowNumbers::Double(rows) => RowNumbers::Double(rows.clone()),
            _ => RowNumbers::Double(widened.chunks(self.batch.dim().max(1)).collect()),
        };
        BatchRows { batch: self.batch, numbers, labels: self.labels.clone() }
    }

    /// Some columns of some rows, written to `written` where they are not stored as numbers of 64 bits. And which column stands
    /// first in a row.
    pub(super) fn read<'b>(
        &'b self,
        rows: Range<usize>,
        columns: &Range<usize>,
        written: &'b mut Vec<f64>,
    ) -> (Cow<'b, [&'b [f64]]>, usize) {
        if let RowNumbers::Double(all) = &self.numbers {
            return (Cow::Borrowed(&all[rows]), 0);
        }
        self.write(rows, columns, written);
        (Cow::Owned(written.chunks(columns.len().max(1)).collect()), columns.start)
    }

    /// Writes some columns of some rows, row after row.
    fn write(&self, rows: Range<usize>, columns: &Range<usize>, written: &mut Vec<f64>) {
        let width = columns.len().max(1);
        written.resize(rows.len() * width, 0.0);
        let lines = written.chunks_exact_mut(width);
        match &self.numbers {
            RowNumbers::Double(all) => {
                lines.zip(&all[rows]).for_each(|(to, row)| to.copy_from_slice(&row[columns.clone()]));
            }
            RowNumbers::Single(all) => {
                dispatch!(wide::level(), simd => widen(simd, &all[rows], columns, written));
            }
            RowNumbers::Other => {
                let features = &self.batch.samples.features;
                let rows = self.batch.rows[rows].iter();
                rows.zip(lines).for_each(|(row, to)| features.write(*row, columns.clone(), to));
            }
        }
    }
}

/// These columns as numbers of 64 bits.
#[inline(always)]
fn widen<S: Simd>(_: S, rows: &[&[f32]], columns: &Range<usize>, written: &mut [f64]) {
    for (row, to) in rows.iter().zip(written.chunks_exact_mut(columns.len().max(1))) {
        for (to, a) in to.iter_mut().zip(&row[columns.clone()]) {
            *to = f64::from(*a);
        }
    }
}
