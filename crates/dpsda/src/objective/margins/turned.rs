//! Rows side by side: eight numbers of one column together.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{dispatch, f64x8};

use super::{BatchPiece, LANES};
use crate::wide::{self, Eight};

/// How many groups of rows, and how many points, are computed at once.
const GROUPS: usize = 4;
const TOGETHER: usize = 2;

/// Eight rows, side by side, as far as the panel reaches.
#[inline(always)]
pub(super) fn turn<S: Simd>(simd: S, rows: &[&[f64]; LANES], panel: &mut [Eight]) {
    let width = panel.len();
    let mut all: [&[f64]; LANES] = [&[]; LANES];
    for (all, row) in all.iter_mut().zip(rows) {
        *all = &row[..width];
    }
    let (whole, rest) = panel.as_chunks_mut::<LANES>();
    for (j, to) in whole.iter_mut().enumerate() {
        let mut square = [f64x8::splat(simd, 0.0); LANES];
        for (square, row) in square.iter_mut().zip(all) {
            *square = f64x8::from_slice(simd, &row[LANES * j..][..LANES]);
        }
        turn_square(&mut square);
        for k in 0..LANES {
            square[k].store_slice(&mut to[k].0);
        }
    }
    let done = width - rest.len();
    for (j, to) in rest.iter_mut().enumerate() {
        for (to, row) in to.0.iter_mut().zip(all) {
            *to = row[done + j];
        }
    }
}

/// Eight rows that are side by side, one after the other.
#[inline(always)]
pub(super) fn turn_back<S: Simd>(simd: S, panel: &[Eight], rows: &mut [f64]) {
    let width = panel.len();
    let (whole, rest) = panel.as_chunks::<LANES>();
    for (j, from) in whole.iter().enumerate() {
        let mut square = [f64x8::splat(simd, 0.0); LANES];
        for k in 0..LANES {
            square[k] = f64x8::from_slice(simd, &from[k].0);
        }
        turn_square(&mut square);
        for k in 0..LANES {
            square[k].store_slice(&mut rows[k * width + LANES * j..][..LANES]);
        }
    }
    for (j, from) in rest.iter().enumerate() {
        for k in 0..LANES {
            rows[k * width + width - rest.len() + j] = from.0[k];
        }
    }
}

/// Each pass moves the place of a number by one bit, from rows to lanes.
#[inline(always)]
fn turn_square<S: Simd>(square: &mut [f64x8<S>; LANES]) {
    for _ in 0..3 {
        let before = *square;
        for k in 0..LANES / 2 {
            (square[2 * k], square[2 * k + 1]) = before[k].interleave(before[k + LANES / 2]);
        }
    }
}

/// The rows of a piece, eight side by side.
pub(crate) struct TurnedRows {
    /// Group after group, and in a group column after column.
    numbers: Vec<Eight>,
    /// Which columns.
    columns: Range<usize>,
    /// How many groups.
    groups: usize,
}

impl TurnedRows {
    /// No rows.
    pub(crate) fn none() -> Self {
        Self { numbers: Vec::new(), columns: 0..0, groups: 0 }
    }

    /// How many groups of rows.
    pub(crate) fn groups(&self) -> usize {
        self.groups
    }

    /// Reads the rows of a piece.
    pub(crate) fn read(&mut self, piece: &BatchPiece<'_>) {
        let width = piece.columns.len();
        (self.columns, self.groups) = (piece.columns.clone(), piece.rows.len().div_ceil(LANES));
        self.numbers.resize(self.groups * width, Eight::default());
        let missing = vec![0.0; width];
        for (rows, panel) in piece.numbers.chunks(LANES).zip(self.numbers.chunks_exact_mut(width.max(1))) {
            let rows: [&[f64]; LANES] = std::array::from_fn(|k| {
                rows.get(k).map_or(&missing[..], |row| &row[piece.columns.start - piece.first..])
            });
            dispatch!(wide::level(), simd => turn(simd, &rows, panel));
        }
    }

    /// The sums of all rows over these columns, at points that have these coordinates only, one after the other: for every
    /// point, group by group.
    #[inline(always)]
    pub(crate) fn sums<S: Simd>(&self, simd: S, columns: &Range<usize>, points: &[f64], sums: &mut [Eight]) {
        let (len, groups) = (columns.len(), self.groups.max(1));
        let count = sums.len() / groups;
        let mut p = 0;
        while p < count {
            let (points, sums) = (&points[p * len..], &mut sums[p * groups..]);
            let two = count - p >= TOGETHER;
            let mut g = 0;
            while g < self.groups {
                let four = self.groups - g >= GROUPS;
                match (two, four) {
                    (true, true) => self.some::<S, TOGETHER, GROUPS>(simd, columns, points, g, sums),
                    (true, false) => self.some::<S, TOGETHER, 1>(simd, columns, points, g, sums),
                    (false, true) => self.some::<S, 1, GROUPS>(simd, columns, points, g, sums),
                    (false, false) => self.some::<S, 1, 1>(simd, columns, points, g, sums),
                }
                g += if four { GROUPS } else { 1 };
            }
            p += if two { TOGETHER } else { 1 };
        }
    }

    /// The same of `G` groups at `P` points.
    #[inline(always)]
    fn some<S: Simd, const P: usize, const G: usize>(
        &self,
        simd: S,
        columns: &Range<usize>,
        points: &[f64],
        group: usize,
        sums: &mut [Eight],
    ) {
        let (len, width, start) = (columns.len(), self.columns.len(), columns.start - self.columns.start);
        let (mut rows, mut coordinates): ([&[Eight]; G], [&[f64]; P]) = ([&[]; G], [&[]; P]);
        for (g, rows) in rows.iter_mut().enumerate() {
            *rows = &self.numbers[(group + g) * width + start..][..len];
        }
        for (p, coordinates) in coordinates.iter_mut().enumerate() {
            *coordinates = &points[p * len..][..len];
        }
        let mut all = [[f64x8::splat(simd, 0.0); G]; P];
        for j in 0..len {
            for p in 0..P {
                let y = f64x8::splat(simd, coordinates[p][j]);
                for g in 0..G {
                    all[p][g] += f64x8::from_slice(simd, &rows[g][j].0) * y;
                }
            }
        }
        for p in 0..P {
            for g in 0..G {
                all[p][g].store_slice(&mut sums[p * self.groups + group + g].0);
            }
        }
    }
}
