//! The margins `a_r . y` of a batch at several points.
//!
//! A margin is always summed in one order: each node's block by itself, coordinate by coordinate, then the blocks. So its bits
//! depend neither on how many points are computed at once nor on the processor. And the sum over a block can be computed
//! once for all points that have the same block.

use std::ops::Range;

use fearless_simd::dispatch;

use super::BatchRows;
use crate::wide::{self, Eight};

mod products;
mod turned;

use products::{ROWS, add, add_one, sparse};
pub(crate) use turned::TurnedRows;
use turned::{turn, turn_back};

/// How many points are computed at once.
pub(crate) const LANES: usize = 8;
/// About as many columns are read at once: points side by side then stay in the first cache.
const TILE: usize = 256;
/// As many points are read at once: they stay in the second cache.
const POINTS: usize = 128;
/// At most so many numbers are written at once: they stay in the second cache too.
const WHOLE: usize = 1 << 15;
/// About as many numbers are read at once for many points: they stay in the first cache too.
const FEW: usize = 1 << 12;
/// The same where little is done with each of them: they stay in the second cache.
pub(crate) const NUMBERS: usize = 1 << 16;

/// The margins of a batch at some points.
#[derive(Default)]
pub(crate) struct Margins {
    rows: usize,
    /// Point after point, and of each point row after row.
    margins: Vec<f64>,
    /// For every group of points and every row, the margins side by side.
    sums: Vec<Eight>,
    /// Some columns of points, side by side.
    panels: Vec<Eight>,
    /// The same of one group, one after the other.
    written: Vec<f64>,
}

impl Margins {
    /// Begins anew, for so many points.
    pub(crate) fn clear(&mut self, rows: &BatchRows<'_>, count: usize) {
        self.rows = rows.len();
        self.sums.clear();
        self.sums.resize(rows.len() * count.div_ceil(LANES), Eight::default());
    }

    /// At these points, whose blocks end at `ends`.
    pub(crate) fn at(rows: &BatchRows<'_>, ends: &[usize], points: &[&[f64]]) -> Self {
        let copy = |point: usize, columns: Range<usize>, to: &mut [f64]| {
            to.copy_from_slice(&points[point][columns]);
        };
        Self::of_written(rows, ends, points.len(), &copy)
    }

    /// At so many points, of which `write` gives some coordinates: of this point, in these columns.
    pub(crate) fn of_written(rows: &BatchRows<'_>, ends: &[usize], count: usize, write: &Write<'_>) -> Self {
        let mut margins = Self::default();
        margins.clear(rows, count);
        for start in (0..count).step_by(POINTS) {
            margins.add(rows, ends, start..count.min(start + POINTS), write);
        }
        margins.finish();
        margins
    }

    /// Adds those at these points. The first begins a group. At last, they are finished.
    pub(crate) fn add(
        &mut self,
        rows: &BatchRows<'_>,
        ends: &[usize],
        points: Range<usize>,
        write: &Write<'_>,
    ) {
        let (all, features) = (self.rows, &*rows.batch.samples.features);
        if all == 0 {
            return;
        }
        let Self { sums, panels, written, .. } = self;
        let sums = &mut sums[points.start / LANES * all..points.end.div_ceil(LANES) * all];
        if features.is_sparse() {
            for (first, sums) in points.clone().step_by(LANES).zip(sums.chunks_mut(all)) {
                let some = first..points.end.min(first + LANES);
                write_panels(some, &(0..features.dim()), write, written, panels);
                let point = |column: usize| panels.get(column).map(|eight| eight.0);
                let rows = rows.batch.rows.iter().zip(sums);
                rows.for_each(|(row, sum)| sparse(features, *row, ends, point, &mut sum.0));
            }
            return;
        }
        // Whole points at once, if there are few: memory is fastest where it is read in order.
        let columns = 0..features.dim();
        let whole = points.len() * columns.len() <= WHOLE;
        if whole {
            write_points(points.clone(), &columns, write, written);
        }
        pieces(rows, ends, FEW, |piece| {
            if piece.rows.start == 0 {
                match whole {
                    true => turn_points(points.len(), &columns, &piece.columns, written, panels),
                    false => write_panels(points.clone(), &piece.columns, write, written, panels),
                }
            }
            dispatch!(wide::level(), simd => add(simd, &piece, panels, sums, all));
        });
    }

    /// All have been added.
    pub(crate) fn finish(&mut self) {
        self.margins.resize(LANES * self.sums.len(), 0.0);
        let all = self.rows.max(1);
        for (sums, margins) in self.sums.chunks_exact(all).zip(self.margins.chunks_exact_mut(LANES * all)) {
            dispatch!(wide::level(), simd => turn_back(simd, sums, margins));
        }
    }

    /// At the point with this number, row by row.
    pub(crate) fn of(&self, point: usize) -> &[f64] {
        &self.margins[point * self.rows..][..self.rows]
    }
}

/// Writes the coordinates in some columns of the point with this number.
pub(crate) type Write<'a> = dyn Fn(usize, Range<usize>, &mut [f64]) + 'a;

/// The margins at one point, row by row.
pub(crate) fn at_one(rows: &BatchRows<'_>, ends: &[usize], y: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; rows.len()];
    let features = &*rows.batch.samples.features;
    if features.is_sparse() {
        let point = |column: usize| y.get(column).map(|y| [*y]);
        let rows = rows.batch.rows.iter().zip(&mut sums);
        rows.for_each(|(row, sum)| sparse(features, *row, ends, point, std::array::from_mut(sum)));
    } else {
        pieces(rows, ends, FEW, |piece| dispatch!(wide::level(), _simd => add_one(&piece, y, &mut sums)));
    }
    sums
}

/// These points in these columns, eight side by side, group after group. Missing points are zero.
fn write_panels(
    points: Range<usize>,
    columns: &Range<usize>,
    write: &Write<'_>,
    written: &mut Vec<f64>,
    panels: &mut Vec<Eight>,
) {
    let width = columns.len();
    panels.resize(points.len().div_ceil(LANES) * width, Eight::default());
    for (panel, first) in panels.chunks_exact_mut(width.max(1)).zip(points.clone().step_by(LANES)) {
        let some = first..points.end.min(first + LANES);
        write_points(some.clone(), columns, write, written);
        turn_group(0..some.len(), some.len(), columns, columns, written, panel);
    }
}

/// These points in these columns, one after the other, and then zeros.
fn write_points(points: Range<usize>, columns: &Range<usize>, write: &Write<'_>, written: &mut Vec<f64>) {
    let (width, count) = (columns.len(), points.len());
    written.resize((count + 1) * width, 0.0);
    for (point, to) in points.zip(written.chunks_exact_mut(width.max(1))) {
        write(point, columns.clone(), to);
    }
    written[count * width..].fill(0.0);
}

/// Some of the columns in which these many points were written, eight points side by side, group after group.
fn turn_points(
    count: usize,
    columns: &Range<usize>,
    some: &Range<usize>,
    written: &[f64],
    panels: &mut Vec<Eight>,
) {
    panels.resize(count.div_ceil(LANES) * some.len(), Eight::default());
    for (panel, first) in panels.chunks_exact_mut(some.len().max(1)).zip((0..count).step_by(LANES)) {
        turn_group(first..count.min(first + LANES), count, columns, some, written, panel);
    }
}

/// The same for one group. After `count` points there are zeros for those that are missing.
fn turn_group(
    group: Range<usize>,
    count: usize,
    columns: &Range<usize>,
    some: &Range<usize>,
    written: &[f64],
    panel: &mut [Eight],
) {
    let rows: [&[f64]; LANES] = std::array::from_fn(|k| {
        let point = if k < group.len() { group.start + k } else { count };
        &written[point * columns.len() + some.start - columns.start..][..some.len()]
    });
    dispatch!(wide::level(), simd => turn(simd, &rows, panel));
}

/// A part of a batch: some of its rows, in the columns of some whole blocks.
pub(crate) struct BatchPiece<'a> {
    /// Which rows of the batch.
    pub(crate) rows: Range<usize>,
    /// Which blocks.
    pub(crate) blocks: Range<usize>,
    /// Which columns.
    pub(crate) columns: Range<usize>,
    /// Where these blocks end.
    pub(crate) ends: &'a [usize],
    /// The numbers of every row, from column `first` on.
    pub(crate) numbers: &'a [&'a [f64]],
    pub(crate) first: usize,
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
        let near = &ends[first..ends.len().min(first + TILE)];
        let count = near.partition_point(|end| end - start <= TILE).max(1);
        let blocks = first..first + count;
        let columns = start..ends[blocks.end - 1];
        let band = (most / columns.len().max(1)).max(ROWS).next_multiple_of(ROWS);
        for start in (0..batch.len()).step_by(band) {
            let rows = start..batch.len().min(start + band);
            let (numbers, first) = batch.read(rows.clone(), &columns, &mut written);
            let (blocks, columns, ends) = (blocks.clone(), columns.clone(), &ends[blocks.clone()]);
            each(BatchPiece { rows, blocks, columns, ends, numbers: &numbers, first });
        }
        first += count;
    }
}

#[cfg(test)]
#[path = "margins/tests.rs"]
mod tests;
