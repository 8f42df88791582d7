//! The margins `a_r . y` of a batch at several points.
//!
//! A margin is always summed in one order: each node's block by itself, coordinate by coordinate, then the blocks. So its bits
//! depend neither on how many points are computed at once nor on the processor. And the sum over a block can be computed
//! once for all points that have the same block.

use std::ops::Range;

use fearless_simd::dispatch;

use super::BatchRows;
use crate::wide;

mod products;

use products::{ROWS, add, sparse};

/// How many points are computed at once.
pub(crate) const LANES: usize = 8;
/// About as many columns are read at once: points side by side then stay in the first cache.
const TILE: usize = 256;
/// About as many numbers are read at once for many points: they stay in the first cache too.
const FEW: usize = 1 << 12;
/// The same where little is done with each of them: they stay in the second cache.
pub(crate) const NUMBERS: usize = 1 << 16;

/// The margins of a batch at some points.
pub(crate) struct Margins {
    rows: usize,
    /// For every group of points and every row, the margins side by side.
    sums: Vec<[f64; LANES]>,
}

impl Margins {
    /// At these points, whose blocks end at `ends`.
    pub(crate) fn at(rows: &BatchRows<'_>, ends: &[usize], points: &[&[f64]]) -> Self {
        let copy = |point: usize, columns: Range<usize>, to: &mut [f64]| {
            to.copy_from_slice(&points[point][columns]);
        };
        Self::of_written(rows, ends, points.len(), &copy)
    }

    /// At so many points, of which `write` gives some coordinates: of this point, in these columns.
    pub(crate) fn of_written(rows: &BatchRows<'_>, ends: &[usize], count: usize, write: &Write<'_>) -> Self {
        let mut sums = vec![[0.0; LANES]; rows.len() * count.div_ceil(LANES)];
        side_by_side(rows, ends, count, write, &mut sums);
        Self { rows: rows.len(), sums }
    }

    /// At the point with this number, row by row.
    pub(crate) fn of(&self, point: usize) -> impl Iterator<Item = f64> + '_ {
        let (group, lane) = (point / LANES, point % LANES);
        self.sums[group * self.rows..][..self.rows].iter().map(move |sums| sums[lane])
    }
}

/// Writes the coordinates in some columns of the point with this number.
pub(crate) type Write<'a> = dyn Fn(usize, Range<usize>, &mut [f64]) + 'a;

/// The margins at one point, row by row.
pub(crate) fn at_one(rows: &BatchRows<'_>, ends: &[usize], y: &[f64]) -> Vec<f64> {
    let mut sums = vec![[0.0]; rows.len()];
    let copy = |_: usize, columns: Range<usize>, to: &mut [f64]| to.copy_from_slice(&y[columns]);
    side_by_side(rows, ends, 1, &copy, &mut sums);
    sums.into_iter().map(|[sum]| sum).collect()
}

/// The margins at groups of `L` points, for every group row by row.
fn side_by_side<const L: usize>(
    rows: &BatchRows<'_>,
    ends: &[usize],
    count: usize,
    write: &Write<'_>,
    sums: &mut [[f64; L]],
) {
    let features = &*rows.batch.samples.features;
    if rows.len() == 0 {
        return;
    }
    let (mut panels, mut written) = (Vec::new(), Vec::new());
    if features.is_sparse() {
        let all = 0..features.dim();
        for (group, sums) in sums.chunks_mut(rows.len()).enumerate() {
            write_panels(group * L..count.min((group + 1) * L), &all, write, &mut written, &mut panels);
            rows.batch
                .rows
                .iter()
                .zip(sums)
                .for_each(|(row, sum)| sparse(features, *row, ends, &panels, sum));
        }
        return;
    }
    pieces(rows, ends, FEW, |piece| {
        if piece.rows.start == 0 {
            write_panels(0..count, &piece.columns, write, &mut written, &mut panels);
        }
        let width = piece.columns.len().max(1);
        for (panel, sums) in panels.chunks(width).zip(sums.chunks_mut(rows.len())) {
            let sums = &mut sums[piece.rows.clone()];
            dispatch!(wide::level(), simd => add(simd, piece.numbers, panel, piece.ends, sums));
        }
    });
}

/// These points in these columns, `L` side by side, group after group. Missing points are zero.
fn write_panels<const L: usize>(
    points: Range<usize>,
    columns: &Range<usize>,
    write: &Write<'_>,
    written: &mut Vec<f64>,
    panels: &mut Vec<[f64; L]>,
) {
    let width = columns.len();
    written.resize(L * width, 0.0);
    panels.resize(points.len().div_ceil(L) * width, [0.0; L]);
    for (panel, first) in panels.chunks_mut(width.max(1)).zip(points.clone().step_by(L)) {
        let lanes = L.min(points.end - first);
        for (lane, to) in written.chunks_mut(width.max(1)).take(lanes).enumerate() {
            write(first + lane, columns.clone(), to);
        }
        written[lanes * width..].fill(0.0);
        turn(written, panel);
    }
}

/// `L` rows, one after the other, side by side.
fn turn<const L: usize>(rows: &[f64], panel: &mut [[f64; L]]) {
    let width = panel.len();
    let mut rows = rows.chunks(width.max(1));
    let rows: [&[f64]; L] = std::array::from_fn(|_| rows.next().unwrap_or_default());
    let rows = rows.map(|row| &row[..width]);
    for (j, to) in panel.iter_mut().enumerate() {
        *to = rows.map(|row| row[j]);
    }
}

/// The sums of `rows` over one block, at points side by side that have the coordinates of this block only.
pub(crate) fn block_sums(rows: &[&[f64]], points: &[[f64; LANES]], sums: &mut [[f64; LANES]]) {
    sums.fill([0.0; LANES]);
    dispatch!(wide::level(), simd => add(simd, rows, points, &[points.len()], sums));
}

/// At most `L` points side by side in these columns. Missing points are zero.
pub(crate) fn panel<const L: usize>(points: &[&[f64]], columns: Range<usize>) -> Vec<[f64; L]> {
    let mut panel = vec![[0.0; L]; columns.len()];
    for (lane, point) in points.iter().enumerate().take(L) {
        panel.iter_mut().zip(&point[columns.clone()]).for_each(|(row, x)| row[lane] = *x);
    }
    panel
}

/// A part of a batch: some of its rows, in the columns of some whole blocks.
pub(crate) struct BatchPiece<'a> {
    /// Which rows of the batch.
    pub(crate) rows: Range<usize>,
    /// Which blocks.
    pub(crate) blocks: Range<usize>,
    /// Which columns.
    pub(crate) columns: Range<usize>,
    /// Where the blocks end among these columns.
    pub(crate) ends: &'a [usize],
    /// The numbers of every row in these columns.
    pub(crate) numbers: &'a [&'a [f64]],
}

/// Reads a batch piece by piece. For every row the blocks come in order.
///
/// About `most` numbers are read at once.
pub(crate) fn pieces(
    batch: &BatchRows<'_>,
    ends: &[usize],
    most: usize,
    mut each: impl FnMut(BatchPiece<'_>),
) {
    let mut written = Vec::new();
    let mut first = 0;
    while first < ends.len() {
        let start = first.checked_sub(1).map_or(0, |last| ends[last]);
        let count = ends[first..].partition_point(|end| end - start <= TILE).max(1);
        let blocks = first..first + count;
        let columns = start..ends[blocks.end - 1];
        let inside: Vec<usize> = ends[blocks.clone()].iter().map(|end| end - start).collect();
        let band = (most / columns.len().max(1)).max(ROWS).next_multiple_of(ROWS);
        for start in (0..batch.len()).step_by(band) {
            let rows = start..batch.len().min(start + band);
            let numbers = batch.read(rows.clone(), &columns, &mut written);
            let (blocks, columns) = (blocks.clone(), columns.clone());
            each(BatchPiece { rows, blocks, columns, ends: &inside, numbers: &numbers });
        }
        first += count;
    }
}

#[cfg(test)]
#[path = "margins/tests.rs"]
mod tests;
