//! The gradient of a mean loss of linear predictions at a point whose margins are known.

use std::ops::Range;
use std::sync::Arc;

use fearless_simd::prelude::*;
use fearless_simd::{dispatch, f32x16, f64x8};

use super::margins::at_one;
use super::{Batch, Objective};
use crate::wide;

/// The rows of a batch: where their numbers are stored, and their labels. All nodes share them.
pub(crate) struct BatchRows<'a> {
    batch: Batch<'a>,
    numbers: RowNumbers<'a>,
    labels: Vec<f64>,
}

/// All rows, as they are stored.
enum RowNumbers<'a> {
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
}

/// A batch at one point. It answers for that point whatever point it is asked for.
pub(crate) struct Slopes<'a> {
    rows: Arc<BatchRows<'a>>,
    /// The derivative of the loss at the margin of every row.
    slopes: Vec<f64>,
}

impl<'a> Slopes<'a> {
    /// From the margins of all rows.
    pub(crate) fn new(rows: &Arc<BatchRows<'a>>, margins: impl Iterator<Item = f64>) -> Self {
        let mut slopes: Vec<f64> = margins.collect();
        rows.batch.loss.slopes(&mut slopes, &rows.labels);
        Self { rows: Arc::clone(rows), slopes }
    }

    /// At `y`, whose blocks end at `ends`; none if the cost has no linear predictions of this length.
    pub(crate) fn at(f: &'a dyn Objective, ends: &[usize], y: &[f64]) -> Option<Self> {
        let batch = f.linear().filter(|batch| batch.dim() == y.len() && ends.last() == Some(&y.len()))?;
        let margins = at_one(&batch, ends, y);
        Some(Self::new(&BatchRows::new(batch), margins.into_iter()))
    }
}

/// A number as it is stored.
trait StoredNumber: Copy + Into<f64> {
    /// Sixteen of them.
    fn sixteen<S: Simd>(simd: S, from: &[Self]) -> [f64x8<S>; 2];
}

impl StoredNumber for f64 {
    #[inline(always)]
    fn sixteen<S: Simd>(simd: S, from: &[Self]) -> [f64x8<S>; 2] {
        [f64x8::from_slice(simd, &from[..8]), f64x8::from_slice(simd, &from[8..16])]
    }
}

impl StoredNumber for f32 {
    #[inline(always)]
    fn sixteen<S: Simd>(simd: S, from: &[Self]) -> [f64x8<S>; 2] {
        let (low, high) = simd.widen_f32x16(f32x16::from_slice(simd, &from[..16]));
        [low, high]
    }
}

/// `g = sum_r c_r a_r` in the columns of `block`, row by row for every column.
#[inline(always)]
fn sum<S: Simd, A: StoredNumber>(
    simd: S,
    rows: &[&[A]],
    block: &Range<usize>,
    c: &[f64],
    g: &mut [f64],
) {
    let len = g.len();
    // Every column has a sum of its own. So the last columns may be computed twice.
    match len {
        0..16 => {
            g.fill(0.0);
            for (row, c) in rows.iter().zip(c) {
                for (g, a) in g.iter_mut().zip(&row[block.clone()]) {
                    *g += c * (*a).into();
                }
            }
        }
        16..32 => {
            for at in [0, len - 16] {
                columns::<S, A, 1>(simd, rows, block.start + at, c, &mut g[at..at + 16]);
            }
        }
        _ => {
            for at in (0..len - 31).step_by(32).chain([len - 32]) {
                columns::<S, A, 2>(simd, rows, block.start + at, c, &mut g[at..at + 32]);
            }
        }
    }
}

/// The same for `N` times sixteen columns.
#[inline(always)]
fn columns<S: Simd, A: StoredNumber, const N: usize>(
    simd: S,
    rows: &[&[A]],
    from: usize,
    c: &[f64],
    g: &mut [f64],
) {
    let mut sums = [[f64x8::splat(simd, 0.0); 2]; N];
    for (row, c) in rows.iter().zip(c) {
        let (c, numbers) = (f64x8::splat(simd, *c), &row[from..from + 16 * N]);
        for (k, [low, high]) in sums.iter_mut().enumerate() {
            let [a, b] = A::sixteen(simd, &numbers[16 * k..16 * k + 16]);
            *low += c * a;
            *high += c * b;
        }
    }
    for ([low, high], g) in sums.into_iter().zip(g.chunks_exact_mut(16)) {
        low.store_slice(&mut g[..8]);
        high.store_slice(&mut g[8..]);
    }
}

impl Objective for Slopes<'_> {
    fn dim(&self) -> usize {
        self.rows.batch.dim()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.rows.batch.value(x)
    }

    fn partial(&self, _x: &[f64], block: Range<usize>, g: &mut [f64]) {
        let Batch { samples, rows, .. } = self.rows.batch;
        let shares: Vec<f64> = self.slopes.iter().map(|slope| slope / rows.len() as f64).collect();
        match &self.rows.numbers {
            RowNumbers::Double(rows) => {
                dispatch!(wide::level(), simd => sum(simd, rows, &block, &shares, g));
            }
            RowNumbers::Single(rows) => {
                dispatch!(wide::level(), simd => sum(simd, rows, &block, &shares, g));
            }
            RowNumbers::Other => {
                g.fill(0.0);
                let add = |(row, share): (&usize, f64)| samples.features.add_to(*row, block.clone(), share, g);
                rows.iter().zip(shares).for_each(add);
            }
        }
    }

    fn examples(&self) -> usize {
        self.rows.batch.examples()
    }

    fn example(&self, k: usize, _x: &[f64], block: Range<usize>, g: &mut [f64]) {
        g.fill(0.0);
        let Batch { samples, rows, .. } = self.rows.batch;
        samples.features.add_to(rows[k], block, self.slopes[k], g);
    }

    fn example_value(&self, k: usize, x: &[f64]) -> f64 {
        self.rows.batch.example_value(k, x)
    }
}
