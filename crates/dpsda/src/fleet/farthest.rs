//! How far points are from their mean.

use std::ops::Range;

use fearless_simd::{Simd, dispatch};

use crate::wide;

/// About as many numbers are looked at together: they stay near the processor.
const NUMBERS: usize = 1 << 16;
/// At least so many columns: each point is asked for them at once.
const COLUMNS: usize = 64;
/// How many distances are summed at once, so that their sums do not wait for each other.
const TOGETHER: usize = 8;

/// How far the farthest of `count` points is from their mean, which is computed as the first plus the differences from it. `write`
/// writes some columns of a point; it is asked for every column once.
pub(super) fn farthest(count: usize, dim: usize, write: impl Fn(usize, Range<usize>, &mut [f64])) -> f64 {
    let width = (NUMBERS / count.max(1)).clamp(COLUMNS, dim.max(COLUMNS));
    let (mut strip, mut squares) = (vec![0.0; count * width.min(dim)], vec![0.0; count]);
    for start in (0..dim).step_by(width) {
        let columns = start..(start + width).min(dim);
        let strip = &mut strip[..count * columns.len()];
        for (i, part) in strip.chunks_exact_mut(columns.len()).enumerate() {
            write(i, columns.clone(), part);
        }
        let first = strip[..columns.len().min(strip.len())].to_vec();
        let mut mean = first.clone();
        for part in strip.chunks_exact(columns.len()) {
            dispatch!(wide::level(), simd => add_share(simd, part, &first, count as f64, &mut mean));
        }
        for (parts, sums) in strip.chunks(TOGETHER * columns.len()).zip(squares.chunks_mut(TOGETHER)) {
            add_squares(parts, &mean, sums);
        }
    }
    squares.into_iter().fold(0.0, f64::max).sqrt()
}

/// `mean += (point - first)/count`
#[inline(always)]
fn add_share<S: Simd>(_: S, point: &[f64], first: &[f64], count: f64, mean: &mut [f64]) {
    for ((mean, y), first) in mean.iter_mut().zip(point).zip(first) {
        *mean += (y - first) / count;
    }
}

/// Adds `|point - mean|^2` of several points, each summed in order.
fn add_squares(points: &[f64], mean: &[f64], sums: &mut [f64]) {
    let last = sums.len() - 1; // missing points are the last again
    let points: [&[f64]; TOGETHER] =
        std::array::from_fn(|k| &points[k.min(last) * mean.len()..][..mean.len()]);
    let mut all: [f64; TOGETHER] = std::array::from_fn(|k| sums[k.min(last)]);
    for (k, mean) in mean.iter().enumerate() {
        for (sum, point) in all.iter_mut().zip(points) {
            *sum += (point[k] - mean) * (point[k] - mean);
        }
    }
    sums.copy_from_slice(&all[..=last]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coordinate by coordinate, as the definition says.
    #[test]
    fn strips_give_the_same_bits_as_whole_points() {
        for (count, dim) in [(1, 5), (3, 1), (7, 21), (9, 200), (70, 1000), (1100, 130), (0, 4), (4, 0)] {
            let point =
                |i: usize| (0..dim).map(move |k| ((i * 31 + k * 7) as f64).sin()).collect::<Vec<f64>>();
            let first = point(0);
            let mut mean = first.clone();
            for i in 0..count {
                for k in 0..dim {
                    mean[k] += (point(i)[k] - first[k]) / count as f64;
                }
            }
            let square =
                |i| point(i).iter().zip(&mean).map(|(y, m)| (y - m) * (y - m)).fold(0.0, |a, b| a + b);
            let expected = (0..count).map(square).fold(0.0, f64::max).sqrt();
            let found = farthest(count, dim, |i, columns, to| to.copy_from_slice(&point(i)[columns]));
            assert_eq!(found, expected, "{count} {dim}");
        }
    }
}
