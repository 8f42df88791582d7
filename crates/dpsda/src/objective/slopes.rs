//! The gradient of a mean loss of linear predictions at a point whose margins are known.

use std::ops::Range;

use fearless_simd::{Simd, dispatch};

use super::margins::at_one;
use super::{Batch, Objective};
use crate::wide;

/// A batch at one point. It answers for that point whatever point it is asked for.
pub(crate) struct Slopes<'a> {
    batch: Batch<'a>,
    /// The derivative of the loss at the margin of every row.
    slopes: Vec<f64>,
}

impl<'a> Slopes<'a> {
    /// From the margins of all rows.
    pub(crate) fn new(batch: Batch<'a>, margins: impl Iterator<Item = f64>) -> Self {
        let labels = &batch.samples.labels;
        let slopes =
            batch.rows.iter().zip(margins).map(|(row, s)| batch.loss.slope(s, labels[*row])).collect();
        Self { batch, slopes }
    }

    /// At `y`, whose blocks end at `ends`; none if the cost has no linear predictions of this length.
    pub(crate) fn at(f: &'a dyn Objective, ends: &[usize], y: &[f64]) -> Option<Self> {
        let batch = f.linear().filter(|batch| batch.dim() == y.len() && ends.last() == Some(&y.len()))?;
        let margins = at_one(&batch, ends, y);
        Some(Self::new(batch, margins.into_iter()))
    }
}

/// `g += sum_r c_r a_r`, row by row.
#[inline(always)]
fn add<S: Simd>(_: S, rows: &[&[f64]], c: &[f64], g: &mut [f64]) {
    for (row, c) in rows.iter().zip(c) {
        g.iter_mut().zip(*row).for_each(|(g, a)| *g += c * a);
    }
}

impl Objective for Slopes<'_> {
    fn dim(&self) -> usize {
        self.batch.dim()
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.batch.value(x)
    }

    fn partial(&self, _x: &[f64], block: Range<usize>, g: &mut [f64]) {
        g.fill(0.0);
        let (features, rows) = (&self.batch.samples.features, self.batch.rows);
        let shares = self.slopes.iter().map(|slope| slope / rows.len() as f64);
        let stored = |row: &usize| features.stored(*row)?.get(block.clone());
        if let Some(stored) = rows.iter().map(stored).collect::<Option<Vec<_>>>() {
            let shares: Vec<f64> = shares.collect();
            dispatch!(wide::level(), simd => add(simd, &stored, &shares, g));
        } else {
            rows.iter().zip(shares).for_each(|(row, share)| features.add_to(*row, block.clone(), share, g));
        }
    }

    fn examples(&self) -> usize {
        self.batch.examples()
    }

    fn example(&self, k: usize, _x: &[f64], block: Range<usize>, g: &mut [f64]) {
        g.fill(0.0);
        self.batch.samples.features.add_to(self.batch.rows[k], block, self.slopes[k], g);
    }

    fn example_value(&self, k: usize, x: &[f64]) -> f64 {
        self.batch.example_value(k, x)
    }
}
