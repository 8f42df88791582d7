//! Products of rows with points side by side.

use fearless_simd::Simd;

use crate::features::Features;

/// How many rows are computed at once, so that their sums do not wait for each other.
pub(super) const ROWS: usize = 8;

/// Adds the sums over whole blocks, which end at `ends`, to the margins of these rows.
#[inline(always)]
pub(super) fn add<S: Simd, const L: usize>(
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
fn single<const R: usize, const L: usize>(rows: [&[f64]; R], points: &[[f64; L]], sums: &mut [[f64; L]; R]) {
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
pub(super) fn sparse<const L: usize>(
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
