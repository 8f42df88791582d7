//! The arithmetic on rows of panels.

use fearless_simd::Simd;

/// Divides all numbers.
#[inline(always)]
pub(super) fn divide<S: Simd>(_: S, numbers: &mut [f64], by: f64) {
    for z in numbers {
        *z /= by;
    }
}

/// How many columns are summed in registers.
const TOGETHER: usize = 32;

/// `to_i = sum_j a_ij from_j` in all rows of a panel, in the order of the lists.
#[inline(always)]
pub(super) fn sum_all<S: Simd>(
    _: S,
    shares: &[Vec<(usize, f64)>],
    from: &[f64],
    to: &mut [f64],
    width: usize,
) {
    for (row, to) in shares.iter().zip(to.chunks_exact_mut(width)) {
        let (whole, rest) = to.as_chunks_mut::<TOGETHER>();
        for (k, to) in whole.iter_mut().enumerate() {
            let mut sums = [0.0; TOGETHER];
            for (j, a) in row {
                let from = &from[j * width + k * TOGETHER..][..TOGETHER];
                for (sum, h) in sums.iter_mut().zip(from) {
                    *sum += a * h;
                }
            }
            *to = sums;
        }
        rest.fill(0.0);
        for (j, a) in row {
            let from = &from[(j + 1) * width - rest.len()..];
            for (to, h) in rest.iter_mut().zip(from) {
                *to += a * h;
            }
        }
    }
}
