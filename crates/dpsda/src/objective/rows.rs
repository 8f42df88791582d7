//! The rows of a batch, found once for all nodes.

use std::ops::Range;
use std::sync::Arc;

use fearless_simd::{Simd, dispatch};

use super::Batch;
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

    /// Some columns of some rows, written to `written` where they are not stored as numbers of 64 bits.
    pub(super) fn read<'b>(
        &'b self,
        rows: Range<usize>,
        columns: &Range<usize>,
        written: &'b mut Vec<f64>,
    ) -> Vec<&'b [f64]> {
        let width = columns.len().max(1);
        written.resize(rows.len() * width, 0.0);
        match &self.numbers {
            RowNumbers::Double(all) => return all[rows].iter().map(|row| &row[columns.clone()]).collect(),
            RowNumbers::Single(all) => {
                dispatch!(wide::level(), simd => widen(simd, &all[rows], columns, written));
            }
            RowNumbers::Other => {
                for (row, numbers) in self.batch.rows[rows].iter().zip(written.chunks_mut(width)) {
                    self.batch.samples.features.write(*row, columns.clone(), numbers);
                }
            }
        }
        written.chunks(width).collect()
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
