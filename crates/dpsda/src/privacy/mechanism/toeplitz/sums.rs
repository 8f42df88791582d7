//! The secret state: leaky sums of past noise, in fixed point.

use super::kernel::{BITS, Kernel};

/// What is kept of the past, for every coordinate. A secret: with it, a release reveals the value.
#[derive(Default, Clone)]
pub(super) struct LeakySums {
    /// `sum_k keep_j^k w(t-k)` for every coordinate and, within it, every `j`; integers over `2^BITS`.
    leaky: Vec<i128>,
    /// `N(t)`, for every coordinate.
    prefix: Vec<i128>,
}

impl LeakySums {
    /// As before the first release.
    pub(super) fn clear(&mut self) {
        self.leaky.clear();
        self.prefix.clear();
    }

    /// For a restart: the leaky sums and the prefix.
    pub(super) fn keep(&self) -> Vec<Vec<i128>> {
        if self.prefix.is_empty() { Vec::new() } else { vec![self.leaky.clone(), self.prefix.clone()] }
    }

    /// The sums that [`Self::keep`] gave. `None` if they cannot be that: no sum is larger than noise of 63 bits can make it.
    pub(super) fn kept(noise: Vec<Vec<i128>>, kernel: &Kernel) -> Option<Self> {
        let [leaky, prefix] = match noise.len() {
            0 => return Some(Self::default()),
            _ => <[Vec<i128>; 2]>::try_from(noise).ok()?,
        };
        let fits = leaky.len() == prefix.len() * kernel.modes.len();
        let small = leaky.iter().chain(&prefix).all(|sum| sum.unsigned_abs() < 1 << 116);
        (fits && small).then_some(Self { leaky, prefix })
    }

    /// One release of `size` coordinates. `next` is given, for each, its number (below `size`), `N(t-1)` and the rounded
    /// contribution of the past to `N(t)`; it says what `w(t)` is. The weight of `w(t)` itself is exactly 1.
    pub(super) fn advance(
        &mut self,
        kernel: &Kernel,
        size: usize,
        mut next: impl FnMut(usize, i128, i128) -> i64,
    ) {
        let modes = kernel.modes.len();
        if self.prefix.len() < size {
            self.prefix.resize(size, 0);
            self.leaky.resize(size * modes, 0);
        }
        for (k, (prefix, leaky)) in
            self.prefix.iter_mut().zip(self.leaky.chunks_mut(modes)).take(size).enumerate()
        {
            let past = leaky.iter_mut().zip(&kernel.modes).fold(0, |past, (sum, mode)| {
                *sum = times(*sum, mode.keep);
                past + times(*sum, mode.share)
            });
            let past = (past + (1 << (BITS - 1))) >> BITS; // to the nearest integer, halves up
            let drawn = next(k, *prefix, past);
            leaky.iter_mut().for_each(|sum| *sum += i128::from(drawn) << BITS);
            *prefix = i128::from(drawn) + past;
        }
    }
}

/// `sum * weight / 2^BITS`, rounded to the nearest, halves up. Sums stay below `2^63 T 2^BITS <= 2^115`, for `keep < 1` and no
/// more than T rounds, and nothing overflows.
fn times(sum: i128, weight: u64) -> i128 {
    let (high, low) = (sum >> BITS, sum & ((1 << BITS) - 1));
    high * i128::from(weight) + ((low * i128::from(weight) + (1 << (BITS - 1))) >> BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_rounded_to_the_nearest() {
        let one = 1_i128 << BITS;
        for sum in [0, 1, -1, 12_345, -98_765, 7 * one + 3, -7 * one - 3, (1 << 90) + 17, -(1 << 90) - 17] {
            for weight in [1, 3, 1 << 31, (1 << 32) - 1] {
                let product = sum * i128::from(weight);
                let off = times(sum, weight) * one - product;
                assert!(-one / 2 < off && off <= one / 2, "{sum} {weight}: {off}");
            }
        }
    }

    #[test]
    fn the_largest_noise_there_is_does_not_overflow() {
        let kernel = Kernel::new(u64::MAX);
        let mut sums = LeakySums::default();
        for w in [i64::MAX, i64::MIN] {
            sums.clear();
            for _ in 0..20_000 {
                sums.advance(&kernel, 2, |_, _, _| w);
            }
            // keep < 1, so a sum is below (rounds) w; at the longest horizon that is 2^115.
            assert!(
                sums.leaky
                    .iter()
                    .all(|s| s.unsigned_abs() <= (u128::from(w.unsigned_abs()) * 20_000) << BITS)
            );
        }
    }
}
