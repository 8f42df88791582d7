//! The arithmetic on rows of panels.

use fearless_simd::Simd;

use super::mixing::{MixedRow, RowPlace};

/// Divides all numbers.
#[inline(always)]
pub(super) fn divide<S: Simd>(_: S, numbers: &mut [f64], by: f64) {
    for z in numbers {
        *z /= by;
    }
}

/// How many columns are summed in registers.
const TOGETHER: usize = 32;

/// `h_i = sum_j a_ij h_j` in one row of a panel, in the order of the list. Rows that are kept aside are as wide.
#[inline(always)]
pub(super) fn mix_row<S: Simd>(_: S, row: &MixedRow, width: usize, panel: &mut [f64], kept: &mut [f64]) {
    let mut k = 0;
    while k + TOGETHER <= width {
        let mut sums = [0.0; TOGETHER];
        for (place, a) in &row.from {
            let from = match place {
                RowPlace::Panel(j) => &panel[j * width + k..][..TOGETHER],
                RowPlace::Kept(j) => &kept[j * width + k..][..TOGETHER],
            };
            for (sum, h) in sums.iter_mut().zip(from) {
                *sum += a * h;
            }
        }
        let to = &mut panel[row.node * width + k..][..TOGETHER];
        if let Some(j) = row.keep {
            kept[j * width + k..][..TOGETHER].copy_from_slice(to);
        }
        to.copy_from_slice(&sums);
        k += TOGETHER;
    }
    let (mut sums, rest) = ([0.0; TOGETHER], width - k);
    for (place, a) in &row.from {
        let from = match place {
            RowPlace::Panel(j) => &panel[j * width + k..][..rest],
            RowPlace::Kept(j) => &kept[j * width + k..][..rest],
        };
        for (sum, h) in sums.iter_mut().zip(from) {
            *sum += a * h;
        }
    }
    let to = &mut panel[row.node * width + k..][..rest];
    if let Some(j) = row.keep {
        kept[j * width + k..][..rest].copy_from_slice(to);
    }
    to.copy_from_slice(&sums[..rest]);
}
