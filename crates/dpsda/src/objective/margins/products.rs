//! Products of rows with points side by side.

use std::ops::Range;

use fearless_simd::f64x8;
use fearless_simd::prelude::*;

use super::BatchPiece;
use crate::features::Features;
use crate::wide::Eight;

/// How many rows are computed at once, so that their sums do not wait for each other.
pub(super) const ROWS: usize = 8;

/// Adds the sums over the blocks of a piece to the margins of its rows, at groups of points side by side. Every group has `all` rows.
#[inline(always)]
pub(super) fn add<S: Simd>(
    simd: S,
    piece: &BatchPiece<'_>,
    panels: &[Eight],
    sums: &mut [Eight],
    all: usize,
) {
    let width = piece.columns.len().max(1);
    // As many sums as there is room for in registers.
    let (wide, few) = (size_of::<S::f64s>() >= 64, piece.rows.len() < 4);
    let groups = panels.len() / width;
    let mut g = 0;
    while g < groups {
        let together = match groups - g {
            4.. if few => 4,
            2.. if wide => 2,
            _ => 1,
        };
        let (panels, sums) = (&panels[g * width..], &mut sums[g * all..]);
        let mut r = 0;
        while r < piece.rows.len() {
            let left = piece.rows.len() - r;
            r += match (together, left) {
                (4, _) => block::<S, 1, 4>(simd, piece, panels, sums, all, r),
                (2, 8..) => block::<S, 8, 2>(simd, piece, panels, sums, all, r),
                (2, 4..) => block::<S, 4, 2>(simd, piece, panels, sums, all, r),
                (2, 2..) => block::<S, 2, 2>(simd, piece, panels, sums, all, r),
                (2, _) => block::<S, 1, 2>(simd, piece, panels, sums, all, r),
                (_, 8..) if wide => block::<S, 8, 1>(simd, piece, panels, sums, all, r),
                (_, 4..) => block::<S, 4, 1>(simd, piece, panels, sums, all, r),
                (_, 2..) => block::<S, 2, 1>(simd, piece, panels, sums, all, r),
                _ => block::<S, 1, 1>(simd, piece, panels, sums, all, r),
            };
        }
        g += together;
    }
}

/// The same for `R` rows from the one with number `r` on, and for `G` groups. How many rows that were.
#[inline(always)]
fn block<S: Simd, const R: usize, const G: usize>(
    simd: S,
    piece: &BatchPiece<'_>,
    panels: &[Eight],
    sums: &mut [Eight],
    all: usize,
    r: usize,
) -> usize {
    let (columns, from) = (&piece.columns, piece.rows.start + r);
    let mut rows: [&[f64]; R] = [&[]; R];
    for (row, numbers) in rows.iter_mut().zip(&piece.numbers[r..]) {
        *row = &numbers[columns.start - piece.first..][..columns.len()];
    }
    let mut points: [&[Eight]; G] = [&[]; G];
    for g in 0..G {
        points[g] = &panels[g * columns.len()..][..columns.len()];
    }
    let zeros = [[f64x8::splat(simd, 0.0); R]; G];
    let mut totals = zeros;
    for g in 0..G {
        for k in 0..R {
            totals[g][k] = f64x8::from_slice(simd, &sums[g * all + from + k].0);
        }
    }
    if piece.ends.len() == columns.len() {
        // Every block has one column.
        multiply(simd, rows, points, 0..columns.len(), &mut totals);
    } else {
        let mut start = 0;
        for end in piece.ends {
            let end = end - columns.start;
            let mut block = zeros;
            multiply(simd, rows, points, start..end, &mut block);
            for g in 0..G {
                for k in 0..R {
                    totals[g][k] += block[g][k];
                }
            }
            start = end;
        }
    }
    for g in 0..G {
        for k in 0..R {
            totals[g][k].store_slice(&mut sums[g * all + from + k].0);
        }
    }
    R
}

/// Adds the products in these columns, one after the other.
#[inline(always)]
fn multiply<S: Simd, const R: usize, const G: usize>(
    simd: S,
    rows: [&[f64]; R],
    points: [&[Eight]; G],
    columns: Range<usize>,
    sums: &mut [[f64x8<S>; R]; G],
) {
    let mut all = *sums;
    let (mut some, mut eights): ([&[f64]; R], [&[Eight]; G]) = ([&[]; R], [&[]; G]);
    for k in 0..R {
        some[k] = &rows[k][columns.clone()][..columns.len()];
    }
    for g in 0..G {
        eights[g] = &points[g][columns.clone()][..columns.len()];
    }
    for j in 0..columns.len() {
        let mut y = [f64x8::splat(simd, 0.0); G];
        for g in 0..G {
            y[g] = f64x8::from_slice(simd, &eights[g][j].0);
        }
        for k in 0..R {
            let a = f64x8::splat(simd, some[k][j]);
            for g in 0..G {
                all[g][k] += a * y[g];
            }
        }
    }
    *sums = all;
}

/// The same at one point, for some rows side by side.
pub(super) fn add_one(piece: &BatchPiece<'_>, y: &[f64], sums: &mut [f64]) {
    let mut r = 0;
    while r < piece.rows.len() {
        let sums = &mut sums[piece.rows.start + r..];
        r += match piece.rows.len() - r {
            ROWS.. => one::<ROWS>(piece, r, y, sums),
            4.. => one::<4>(piece, r, y, sums),
            2.. => one::<2>(piece, r, y, sums),
            _ => one::<1>(piece, r, y, sums),
        };
    }
}

/// For `R` rows from the one with number `r` on.
fn one<const R: usize>(piece: &BatchPiece<'_>, r: usize, y: &[f64], sums: &mut [f64]) -> usize {
    let all: [&[f64]; R] = std::array::from_fn(|k| piece.numbers[r + k]);
    let mut start = piece.columns.start;
    for &end in piece.ends {
        let y = &y[start..end];
        let rows = all.map(|row| &row[start - piece.first..][..y.len()]);
        let mut block = [0.0; R];
        for (j, y) in y.iter().enumerate() {
            for (sum, row) in block.iter_mut().zip(rows) {
                *sum += row[j] * y;
            }
        }
        sums.iter_mut().zip(block).for_each(|(sum, block)| *sum += block);
        start = end;
    }
    R
}

/// The same for one row of which only the numbers that are not zero are stored. What is left out adds zero.
pub(super) fn sparse<const L: usize>(
    features: &dyn Features,
    row: usize,
    ends: &[usize],
    points: impl Fn(usize) -> Option<[f64; L]>,
    sum: &mut [f64; L],
) {
    let (mut block, mut end, mut rest) = ([0.0; L], 0, ends.iter());
    features.visit(row, &mut |column, a| {
        let Some(y) = points(column) else { return };
        if column >= end {
            (0..L).for_each(|l| sum[l] += block[l]);
            block = [0.0; L];
            end = rest.find(|end| column < **end).copied().unwrap_or(usize::MAX);
        }
        (0..L).for_each(|l| block[l] += a * y[l]);
    });
    (0..L).for_each(|l| sum[l] += block[l]);
}
