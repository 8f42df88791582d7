//! The gradient of a mean loss of linear predictions at a point whose margins are known.

use std::ops::Range;
use std::sync::Arc;

use fearless_simd::prelude::*;
use fearless_simd::{dispatch, f64x8};

use super::margins::at_one;
use super::rows::{BatchRows, RowNumbers};
use super::{Batch, Objective};
use crate::wide::{self, StoredNumber};

/// A batch at one point. It answers for that point whatever point it is asked for.
pub(crate) struct Slopes<'a> {
    rows: Arc<BatchRows<'a>>,
    /// The derivative of the loss at the margin of every row. Then the same divided by the number of rows.
    slopes: Vec<f64>,
}

impl<'a> Slopes<'a> {
    /// From the margins of all rows.
    pub(crate) fn new(rows: &Arc<BatchRows<'a>>, margins: impl Iterator<Item = f64>) -> Self {
        let count = rows.len();
        let mut slopes = Vec::with_capacity(2 * count);
        slopes.extend(margins.take(count));
        rows.batch.loss.slopes(&mut slopes, &rows.labels);
        slopes.extend_from_within(..);
        slopes[count..].iter_mut().for_each(|slope| *slope /= count as f64);
        Self { rows: Arc::clone(rows), slopes }
    }

    /// At `y`, whose blocks end at `ends`; none if the cost has no linear predictions of this length.
    pub(crate) fn at(f: &'a dyn Objective, ends: &[usize], y: &[f64]) -> Option<Self> {
        let batch = f.linear().filter(|batch| batch.dim() == y.len() && ends.last() == Some(&y.len()))?;
        let rows = BatchRows::new(batch);
        let margins = at_one(&rows, ends, y);
        Some(Self::new(&rows, margins.into_iter()))
    }
}

/// `g = sum_r c_r a_r` in the columns of `block`, row by row for every column.
#[inline(always)]
fn sum<S: Simd, A: StoredNumber>(simd: S, rows: &[&[A]], block: &Range<usize>, c: &[f64], g: &mut [f64]) {
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
        let shares = &self.slopes[rows.len()..];
        match &self.rows.numbers {
            RowNumbers::Double(rows) => {
                dispatch!(wide::level(), simd => sum(simd, rows, &block, shares, g));
            }
            RowNumbers::Single(rows) => {
                dispatch!(wide::level(), simd => sum(simd, rows, &block, shares, g));
            }
            RowNumbers::Other => {
                g.fill(0.0);
                let add =
                    |(row, share): (&usize, &f64)| samples.features.add_to(*row, block.clone(), *share, g);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Bytes, Dense, Samples, Single, Sparse};
    use crate::loss::Squared;

    const DIM: usize = 90;
    const COUNT: usize = 11;

    #[test]
    fn a_gradient_has_the_bits_of_its_definition_however_its_numbers_are_stored() {
        let bytes: Vec<u8> = (0..COUNT * DIM).map(|k| (k * 7 % 256) as u8).collect();
        let numbers: Vec<f64> = bytes.iter().map(|b| f64::from(*b)).collect();
        let starts = (0..=COUNT).map(|row| row * DIM).collect();
        let columns = (0..COUNT * DIM).map(|k| (k % DIM) as u32).collect();
        let labels = || (0..COUNT).map(|row| row as f64 * 0.37).collect();
        let stored = [
            Samples::new(Dense::new(numbers.clone(), DIM).unwrap(), labels()).unwrap(),
            Samples::new(Single::new(bytes.iter().map(|b| f32::from(*b)).collect(), DIM).unwrap(), labels())
                .unwrap(),
            Samples::new(Sparse::new(starts, columns, numbers.clone(), DIM).unwrap(), labels()).unwrap(),
            Samples::new(Bytes::new(bytes, DIM, 1.0).unwrap(), labels()).unwrap(),
        ];
        let rows: Vec<usize> = (0..COUNT).rev().collect();
        let y: Vec<f64> = (0..DIM).map(|k| (k as f64 * 0.7).sin()).collect();
        for samples in &stored {
            let batch = Batch { samples, rows: &rows, loss: &Squared };
            let slopes = Slopes::at(&batch, &[DIM], &y).unwrap();
            for len in 0..DIM {
                let block = (DIM - len) / 2..(DIM - len) / 2 + len;
                let mut found = vec![f64::NAN; len];
                slopes.partial(&y, block.clone(), &mut found);
                let mut plain = vec![0.0; len];
                for (row, slope) in rows.iter().zip(&slopes.slopes) {
                    let share = slope / COUNT as f64;
                    let numbers = &numbers[row * DIM..][block.clone()];
                    plain.iter_mut().zip(numbers).for_each(|(g, a)| *g += share * a);
                }
                assert_eq!(found, plain, "{block:?}");
            }
        }
    }
}
