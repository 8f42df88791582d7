//! Events of the right probability, from fair bits.

use rand::Rng;

use super::super::real::{Real, coin_and_head};

/// A fair coin, and an independent uniform on `0, ..., n - 1` for `1 <= n <= 2^48`: `floor(n U)`.
#[inline]
pub(super) fn coin_and_below<R: Rng + ?Sized>(n: u64, rng: &mut R) -> (bool, u64) {
    let (coin, head) = coin_and_head(rng.next_u64());
    (coin, Real::new(head).floor_of_times(n, rng))
}

/// True with probability exp(-z), from an `event` of probability z in [0, 1] that is independent at every call.
///
/// Trial k = 1, 2, ... succeeds with probability z/k: the event happens, and so does one chance in k. Let K be the first
/// that fails. P(K > k) = z/1 z/2 ... z/k = z^k/k!, so
///
/// ```text
/// P(K is odd) = sum over even k of P(K > k) - P(K > k+1) = 1 - z + z^2/2! - z^3/3! + ... = exp(-z).
/// ```
///
/// (von Neumann 1951; Canonne, Kamath and Steinke 2020, Algorithm 1.)
#[inline]
pub(super) fn exp_minus<R: Rng + ?Sized>(rng: &mut R, event: impl FnMut(&mut R) -> bool) -> bool {
    exp_minus_from(1, rng, event)
}

/// The rest of `exp_minus` when trials `1, ..., k - 1` have succeeded.
#[inline]
pub(super) fn exp_minus_from<R: Rng + ?Sized>(
    mut k: u64,
    rng: &mut R,
    mut event: impl FnMut(&mut R) -> bool,
) -> bool {
    while (k == 1 || coin_and_below(k, rng).1 == 0) && event(rng) {
        k += 1;
    }
    k % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    #[test]
    fn exp_minus_z_has_the_probability_it_says() {
        let mut rng = Seed::default().stream(Purpose::Noise, 0, 0);
        let n = 1_000_000;
        for tenths in [0, 1, 5, 9, 10] {
            let count =
                (0..n).filter(|_| exp_minus(&mut rng, |rng| coin_and_below(10, rng).1 < tenths)).count();
            let p = (-(tenths as f64) / 10.0).exp();
            // Five standard errors: a false alarm of 6e-7 each, were the seed not fixed.
            let slack = 5.0 * (p * (1.0 - p) / f64::from(n)).sqrt();
            assert!((count as f64 / f64::from(n) - p).abs() <= slack, "z = {tenths}/10: {count} of {n}");
        }
    }

    #[test]
    fn the_coin_and_the_number_of_one_word_are_independent() {
        let mut rng = Seed::default().stream(Purpose::Noise, 0, 1);
        let mut counts = [0_i32; 6];
        (0..600_000).for_each(|_| {
            let (coin, below) = coin_and_below(3, &mut rng);
            counts[3 * usize::from(coin) + below as usize] += 1;
        });
        // Five standard errors: 5 sqrt(600000 * 1/6 * 5/6).
        assert!(counts.iter().all(|c| (c - 100_000).abs() < 1444), "{counts:?}");
    }
}
