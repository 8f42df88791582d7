//! The logarithm in plain operations of f64, with a bound on its error: it vectorises, and every processor gives the same bits.
//!
//! Let u = 2^-53. A sum, a product or a quotient is off by at most u times itself. Take x = 2^k m with sqrt(1/2) <= m <
//! sqrt(2), to 2^-32, and s = (m - 1)/(m + 1), so |s| < 0.1716. Then
//!
//! ```text
//! -ln x = -k ln 2 - (2 s + 2 s^3/3 + 2 s^5/5 + ...).
//! ```
//!
//! * m - 1 is exact. So s is off by 2.1 u of itself, and the sum of the series, which is at most 0.347, by 2.2 u of itself
//!   for that: 0.77 u.
//! * What comes after s^19/19 is below 2 (0.1716^21/21)/(1 - 0.1716^2), which is 0.08 u.
//! * What comes after 2 s is at most 0.0035. Its roundings are 7 u of itself at most, and the sum with 2 s is rounded once:
//!   0.38 u together.
//! * `LN_2` is off by 0.22 u. So -k ln 2 is off by (0.22 + 0.70) u |k|, and as |k| ln 2 <= -ln x + 0.347, by 1.4 u (-ln x) + 0.5 u.
//!   The last sum is rounded once: u (-ln x).
//!
//! Together that is below 2 u + 3 u (-ln x). So the result is off by at most **4 u (1 - ln x)**, which is at most **4 u/x**,
//! since 1 - ln x <= 1/x.

use std::f64::consts::LN_2;

/// The bits of a number near sqrt(1/2).
const HALF_ROOT: u64 = 0x3FE6_A09E << 32;

const ONE: u64 = 1023 << 52;

/// 2^52: a whole number below it is the low bits of their sum.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// -ln(x) for a normal x in (0, 1], and 2^-k.
#[inline(always)]
pub(in crate::privacy) fn minus_ln_and_power(x: f64) -> (f64, f64) {
    let shifted = x.to_bits() + (ONE - HALF_ROOT);
    let biased = shifted >> 52; // k + 1023
    let m = f64::from_bits((shifted & (u64::MAX >> 12)) + HALF_ROOT);
    let k = f64::from_bits(biased | WHOLE.to_bits()) - (WHOLE + 1023.0);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let mut sum = 1.0 / 19.0;
    for odd in [1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0] {
        sum = odd + z * sum;
    }
    let (twice, power) = (s + s, f64::from_bits((2046 - biased) << 52));
    (-k * LN_2 - (twice + twice * (z * sum)), power)
}

/// -ln(x) for a normal x in (0, 1].
#[inline(always)]
pub(in crate::privacy) fn minus_ln(x: f64) -> f64 {
    minus_ln_and_power(x).0
}

/// The middle of the numbers whose first 52 bits are those of the word: an odd multiple of 2^-53.
#[inline(always)]
pub(in crate::privacy) fn middle(word: u64) -> f64 {
    f64::from_bits(word >> 12 | ONE) - (1.0 - f64::EPSILON / 2.0)
}

/// The integer that a whole number in [0, 2^52) is; any integer for others.
#[inline(always)]
pub(in crate::privacy) fn whole(number: f64) -> u64 {
    (number + WHOLE).to_bits() ^ WHOLE.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// -ln(x) to 2^-90 or so: the logarithm of f64, corrected by a series for exp in integers of 2^-100.
    fn exact(x: f64) -> (f64, f64) {
        let guess = -x.ln();
        // x exp(guess) = 1 + r with a small r, and -ln x = guess - ln(1 + r). Both factors are whole numbers of 2^-1100 or so:
        // here the sum of x guess^j/j! is taken in pairs of f64.
        let (mut high, mut low, mut sum) = (x, 0.0_f64, (x, 0.0_f64));
        for j in 1..400 {
            (high, low) = times(high, low, guess, f64::from(j));
            sum = add(sum, (high, low));
            if high.abs() < 1e-40 {
                break;
            }
        }
        let r = (sum.0 - 1.0) + sum.1;
        (guess, -(r - r * r / 2.0))
    }

    fn add(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        let s = a.0 + b.0;
        let t = s - a.0;
        let e = (a.0 - (s - t)) + (b.0 - t) + a.1 + b.1;
        (s + e, e - ((s + e) - s))
    }

    /// (high + low) a/b in pairs of f64.
    fn times(high: f64, low: f64, a: f64, b: f64) -> (f64, f64) {
        let p = high * a;
        let e = high.mul_add(a, -p) + low * a;
        let q = p / b;
        let rest = (-q).mul_add(b, p) + e;
        (q + rest / b, rest / b - ((q + rest / b) - q))
    }

    #[test]
    fn it_is_off_by_no_more_than_the_bound() {
        let mut worst = 0.0_f64;
        let mut x = 1.0_f64;
        let mut check = |x: f64| {
            let ((found, power), (near, rest)) = (minus_ln_and_power(x), exact(x));
            let off = ((found - near) - rest).abs() / (f64::EPSILON / 2.0) / (1.0 + near);
            worst = worst.max(off);
            assert!(off < 4.0, "{x}: {off}");
            assert!((0.7..1.42).contains(&(x * power)), "{x} {power}");
        };
        while x > 1e-17 {
            check(x);
            x *= 0.999_3;
        }
        for k in 0..60 {
            let x = 0.5_f64.powi(k);
            for x in [x, x * (1.0 - f64::EPSILON / 2.0), x * f64::sqrt(0.5), x * 0.707, x * 0.7072] {
                check(x);
            }
        }
        assert!(worst > 0.3, "{worst}: the exact value follows the rounded one");
        assert_eq!(minus_ln(1.0), 0.0);
    }

    #[test]
    fn the_middle_is_inside() {
        assert_eq!(middle(0), 0.5_f64.powi(53));
        assert_eq!(middle(u64::MAX), 1.0 - 0.5_f64.powi(53));
        assert_eq!(middle(1 << 63), 0.5 + 0.5_f64.powi(53));
        assert_eq!(middle(0xFFF), middle(0));
    }
}
