//! The margins `a_r . y` of a batch at several points.
//!
//! A margin is always summed in one order: each node's block by itself, coordinate by coordinate, then the blocks. So its bits
//! depend neither on how many points are computed at once nor on the processor. And the sum over a block can be computed
//! once for all points that have the same block.

use std::ops::Range;

use fearless_simd::{Simd, dispatch};

use super::Batch;
use crate::features::Features;
use crate::wide;

/// How many points are computed at once.
pub(crate) const LANES: usize = 8;
/// How many rows are computed at once, so that their sums do not wait for each other.
const ROWS: usize = 8;
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
    pub(crate) fn at(batch: &Batch<'_>, ends: &[usize], points: &[&[f64]]) -> Self {
        let copy = |point: usize, columns: Range<usize>, to: &mut [f64]| {
            to.copy_from_slice(&points[point][columns]);
        };
        Self::of_written(batch, ends, points.len(), &copy)
    }

    /// At so many points, of which `write` gives some coordinates: of this point, in these columns.
    pub(crate) fn of_written(batch: &Batch<'_>, ends: &[usize], count: usize, write: &Write<'_>) -> Self {
        let rows = batch.rows.len();
        let mut sums = vec![[0.0; LANES]; rows * count.div_ceil(LANES)];
        side_by_side(batch, ends, count, write, &mut sums);
        Self { rows, sums }
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
pub(crate) fn at_one(batch: &Batch<'_>, ends: &[usize], y: &[f64]) -> Vec<f64> {
    let mut sums = vec![[0.0]; batch.rows.len()];
    let copy = |_: usize, columns: Range<usize>, to: &mut [f64]| to.copy_from_slice(&y[columns]);
    side_by_side(batch, ends, 1, &copy, &mut sums);
    sums.into_iter().map(|[sum]| sum).collect()
}

/// The margins at groups of `L` points, for every group row by row.
fn side_by_side<const L: usize>(
    batch: &Batch<'_>,
    ends: &[usize],
    count: usize,
    write: &Write<'_>,
    sums: &mut [[f64; L]],
) {
    let (features, rows) = (&*batch.samples.features, batch.rows);
    if rows.is_empty() {
        return;
    }
    let (mut panels, mut written) = (Vec::new(), Vec::new());
    if features.is_sparse() {
        let all = 0..batch.samples.features.dim();
        for (group, sums) in sums.chunks_mut(rows.len()).enumerate() {
            write_panels(group * L..count.min((group + 1) * L), &all, write, &mut written, &mut panels);
            rows.iter().zip(sums).for_each(|(row, sum)| sparse(features, *row, ends, &panels, sum));
        }
        return;
    }
    pieces(batch, ends, FEW, |piece| {
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
    batch: &Batch<'_>,
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
        for (k, rows) in batch.rows.chunks(band).enumerate() {
            let numbers = read(&*batch.samples.features, rows, &columns, &mut written);
            let rows = k * band..k * band + rows.len();
            let (blocks, columns) = (blocks.clone(), columns.clone());
            each(BatchPiece { rows, blocks, columns, ends: &inside, numbers: &numbers });
        }
        first += count;
    }
}

/// These columns of these rows, written to `written` where they are not stored as numbers.
fn read<'a>(
    features: &'a dyn Features,
    rows: &[usize],
    columns: &Range<usize>,
    written: &'a mut Vec<f64>,
) -> Vec<&'a [f64]> {
    let stored = |row: &usize| features.stored(*row)?.get(columns.clone());
    if let Some(stored) = rows.iter().map(stored).collect() {
        return stored;
    }
    let width = columns.len().max(1);
    written.resize(rows.len() * width, 0.0);
    for (row, numbers) in rows.iter().zip(written.chunks_mut(width)) {
        features.write(*row, columns.clone(), numbers);
    }
    written.chunks(width).collect()
}

/// Adds the sums over whole blocks, which end at `ends`, to the margins of these rows.
#[inline(always)]
fn add<S: Simd, const L: usize>(
    _: S,
    rows: &[&[f64]],
    points: &[[f64; L]],
    ends: &[usize],
    sums: &mut [[f64; L]],
) {
    // As many sums as there is room for in registers.
    let (rows, sums) = if size_of::<S::f64s>() < 64 && L > 1 {
        (rows, sums)
    } else {
        some::<ROWS, L>(rows, points, ends, sums)
    };
    let (rows, sums) = some::<4, L>(rows, points, ends, sums);
    let (rows, sums) = some::<2, L>(rows, points, ends, sums);
    some::<1, L>(rows, points, ends, sums);
}

/// The same as long as there are `R` rows. What is left.
#[inline(always)]
fn some<'r, 's, 'a, const R: usize, const L: usize>(
    rows: &'r [&'a [f64]],
    points: &[[f64; L]],
    ends: &[usize],
    sums: &'s mut [[f64; L]],
) -> (&'r [&'a [f64]], &'s mut [[f64; L]]) {
    let (groups, rows) = rows.as_chunks::<R>();
    let (group_sums, sums) = sums.as_chunks_mut::<R>();
    for (rows, sums) in groups.iter().zip(group_sums) {
        several(*rows, points, ends, sums);
    }
    (rows, sums)
}

/// The same for `R` rows side by side.
#[inline(always)]
fn several<const R: usize, const L: usize>(
    rows: [&[f64]; R],
    points: &[[f64; L]],
    ends: &[usize],
    sums: &mut [[f64; L]; R],
) {
    if ends.len() == points.len() {
        return single(rows, points, sums);
    }
    let mut start = 0;
    for &end in ends {
        let points = &points[start..end];
        let rows = rows.map(|row| &row[start..end]);
        let mut block = [[0.0; L]; R];
        for (j, y) in points.iter().enumerate() {
            for (sum, row) in block.iter_mut().zip(rows) {
                let a = row[j];
                for l in 0..L {
                    sum[l] += a * y[l];
                }
            }
        }
        for (sum, block) in sums.iter_mut().zip(block) {
            for l in 0..L {
                sum[l] += block[l];
            }
        }
        start = end;
    }
}

/// The same where every block has one column, or none.
#[inline(always)]
fn single<const R: usize, const L: usize>(
    rows: [&[f64]; R],
    points: &[[f64; L]],
    sums: &mut [[f64; L]; R],
) {
    let rows = rows.map(|row| &row[..points.len()]);
    let mut all = *sums;
    for (j, y) in points.iter().enumerate() {
        for (sum, row) in all.iter_mut().zip(rows) {
            let a = row[j];
            for l in 0..L {
                sum[l] += a * y[l];
            }
        }
    }
    *sums = all;
}

/// The same for one row of which only the numbers that are not zero are stored. What is left out adds zero.
fn sparse<const L: usize>(
    features: &dyn Features,
    row: usize,
    ends: &[usize],
    points: &[[f64; L]],
    sum: &mut [f64; L],
) {
    let (mut block, mut end, mut rest) = ([0.0; L], 0, ends.iter());
    features.visit(row, &mut |column, a| {
        let Some(y) = points.get(column) else { return };
        if column >= end {
            (0..L).for_each(|l| sum[l] += block[l]);
            block = [0.0; L];
            end = rest.find(|end| column < **end).copied().unwrap_or(usize::MAX);
        }
        (0..L).for_each(|l| block[l] += a * y[l]);
    });
    (0..L).for_each(|l| sum[l] += block[l]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Bytes, Dense, Samples, Sparse};
    use crate::loss::Squared;

    const DIM: usize = 1100; // several tiles
    const COUNT: usize = 70; // not a multiple of four

    fn number(k: usize) -> f64 {
        (k as f64 * 0.7).sin()
    }

    /// One row after the other, one coordinate after the other.
    fn plainly(a: &[f64], y: &[f64], ends: &[usize]) -> f64 {
        let (mut sum, mut start) = (0.0, 0);
        for &end in ends {
            let mut block = 0.0;
            (start..end).for_each(|j| block += a[j] * y[j]);
            sum += block;
            start = end;
        }
        sum
    }

    /// The same numbers as dense rows and as sparse rows, and other numbers as bytes.
    fn samples() -> [(Samples, Vec<f64>); 3] {
        let values: Vec<f64> = (0..COUNT * DIM).map(|k| if k % 5 == 0 { number(k) } else { 0.0 }).collect();
        let entries: Vec<usize> = (0..COUNT * DIM).filter(|k| k % 5 == 0).collect();
        let starts = (0..=COUNT).map(|r| entries.partition_point(|k| *k < r * DIM)).collect();
        let columns = entries.iter().map(|k| (k % DIM) as u32).collect();
        let kept = entries.iter().map(|k| values[*k]).collect();
        let bytes: Vec<u8> = (0..COUNT * DIM).map(|k| (k * 7 % 256) as u8).collect();
        let pixels: Vec<f64> = bytes.iter().map(|b| f64::from(*b) / 255.0).collect();
        let labels = || vec![1.0; COUNT];
        let dense = Samples::new(Dense::new(values.clone(), DIM).unwrap(), labels()).unwrap();
        let sparse = Samples::new(Sparse::new(starts, columns, kept, DIM).unwrap(), labels()).unwrap();
        let images = Samples::new(Bytes::new(bytes, DIM, 255.0).unwrap(), labels()).unwrap();
        [(dense, values.clone()), (sparse, values), (images, pixels)]
    }

    #[test]
    fn margins_have_the_bits_of_their_definition_however_many_are_computed_at_once() {
        let points: Vec<Vec<f64>> = (0..11).map(|p| (0..DIM).map(|j| number(j + 31 * p)).collect()).collect();
        let all: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
        let rows: Vec<usize> = (0..COUNT).rev().collect();
        for sizes in [vec![DIM], vec![1; DIM], vec![3, 600, 7, 490], vec![256, 256, 512, 76]] {
            let end = |end: &mut usize, size: &usize| {
                *end += size;
                Some(*end)
            };
            let ends: Vec<usize> = sizes.iter().scan(0, end).collect();
            for (samples, numbers) in &samples() {
                let batch = Batch { samples, rows: &rows, loss: &Squared };
                let many = Margins::at(&batch, &ends, &all);
                for (p, y) in points.iter().enumerate() {
                    let plain: Vec<f64> = rows
                        .iter()
                        .map(|row| plainly(&numbers[row * DIM..(row + 1) * DIM], y, &ends))
                        .collect();
                    assert_eq!(many.of(p).collect::<Vec<_>>(), plain, "{sizes:?} {p}");
                    assert_eq!(at_one(&batch, &ends, y), plain, "{sizes:?} {p}");
                }
            }
        }
    }

    #[test]
    fn a_margin_is_the_sum_of_the_sums_over_blocks() {
        let [(dense, _), _, (images, _)] = samples();
        let rows: Vec<usize> = (0..COUNT).collect();
        let (ends, y) = ([500, 503, DIM], (0..DIM).map(number).collect::<Vec<_>>());
        for samples in [dense, images] {
            let batch = Batch { samples: &samples, rows: &rows, loss: &Squared };
            let mut total = vec![0.0; COUNT];
            pieces(&batch, &ends, 1000, |piece| {
                let mut start = 0;
                for &end in piece.ends {
                    let numbers: Vec<&[f64]> = piece.numbers.iter().map(|row| &row[start..end]).collect();
                    let columns = piece.columns.start + start..piece.columns.start + end;
                    let mut sums = vec![[0.0; LANES]; numbers.len()];
                    block_sums(&numbers, &panel(&[&y], columns), &mut sums);
                    for (total, sums) in total[piece.rows.clone()].iter_mut().zip(sums) {
                        *total += sums[0];
                    }
                    start = end;
                }
            });
            assert_eq!(at_one(&batch, &ends, &y), total);
        }
    }
}
