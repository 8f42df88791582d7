//! The discrete Laplace law.
//!
//! 1. Draw x uniform on [0, 1) until it survives, where it survives with probability exp(-x); N counts those that did
//!    not. One x survives with probability 1 - 1/e, the integral of exp(-x). So P(N >= n) = exp(-n), and independently
//!    of N the x at the end has density exp(-x) / (1 - 1/e). Hence E = N + x is exponential: for s in [0, 1),
//!    P(E >= n + s) = exp(-n-1) + (exp(-n) - exp(-n-1)) (exp(-s) - exp(-1)) / (1 - exp(-1)) = exp(-n-s).
//! 2. M = floor(t E) is geometric: P(M >= m) = P(E >= m/t) = exp(-m/t). As t is an integer, M = t N + floor(t x).
//! 3. With an independent fair sign, k != 0 comes with probability P(M = |k|)/2, plus zero and minus zero each with
//!    P(M = 0)/2. Without minus zero that leaves every k proportional to P(M = |k|), which is to exp(-|k|/t).

use rand::Rng;

use super::super::MAX_SCALE;
use super::super::real::{Real, coin_and_31, coin_and_head, first_31, floor_and_gap};
use super::bernoulli::exp_minus_from;

/// `P(k)` proportional to exp(-|k|/scale), on all integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct WordLaplace {
    scale: u64,
}

/// One x of step 1, with the sign of step 3.
struct Attempt {
    survived: bool,
    /// floor(t x), if it survived.
    floor: u64,
    negative: bool,
}

impl WordLaplace {
    /// The scale is brought into `1..=MAX_SCALE`; `scale` says what it became.
    pub(in super::super) fn new(scale: u64) -> Self {
        Self { scale: scale.clamp(1, MAX_SCALE) }
    }

    /// The scale it draws with.
    pub(in super::super) fn scale(&self) -> u64 {
        self.scale
    }

    /// A draw.
    #[inline]
    pub(in super::super) fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
        let mut noise = [0];
        self.add_to(&mut noise, rng);
        let [noise] = noise;
        noise
    }

    /// Adds a draw to each value, the same as `sample` would give one after the other. Sums saturate.
    ///
    /// No processor can predict whether an x survives, so there is no branch on it. Every attempt writes,
    /// and those that do not count write a zero.
    #[inline]
    pub(in super::super) fn add_to<R: Rng + ?Sized>(&self, values: &mut [i64], rng: &mut R) {
        let mut passed = 0_i64; // t N
        let mut i = 0;
        while let Some(value) = values.get_mut(i) {
            let Attempt { survived, floor, negative } = self.attempt(rng);
            let size = passed.saturating_add_unsigned(floor);
            let counts = survived & !(negative & (size == 0));
            let draw = if negative { -size } else { size };
            *value = value.saturating_add(if counts { draw } else { 0 });
            i += usize::from(counts);
            passed = if survived { 0 } else { passed.saturating_add_unsigned(self.scale) };
        }
    }

    /// 96 bits decide three times in four: x with its sign, and u with the one chance in two of the second trial of
    /// `exp_minus`, whose first trial is whether u < x.
    #[inline(always)]
    fn attempt<R: Rng + ?Sized>(&self, rng: &mut R) -> Attempt {
        let (negative, x) = coin_and_head(rng.next_u64());
        let (half, u) = coin_and_31(rng.next_u32());
        let (floor, gap) = floor_and_gap(self.scale, x);
        let (above, below) = (u > first_31(x), u < first_31(x));
        // Above, the first trial fails, and one is odd. Below without its half the second fails, and two is even.
        if (above | (below & !half)) & (gap >= self.scale) {
            return Attempt { survived: above, floor, negative };
        }
        let (survived, floor) = self.slow(Real::new(x), half, u, rng);
        Attempt { survived, floor, negative }
    }

    /// Any attempt, `floor` only if it survived.
    #[inline(never)]
    fn slow<R: Rng + ?Sized>(&self, mut x: Real, half: bool, u: u32, rng: &mut R) -> (bool, u64) {
        let survives = !x.exceeds(u, rng) || {
            let mut exceeds = |rng: &mut R| {
                let (_, u) = coin_and_31(rng.next_u32());
                x.exceeds(u, rng)
            };
            half && exceeds(rng) && exp_minus_from(3, rng, exceeds)
        };
        (survives, if survives { x.floor_of_times(self.scale, rng) } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Script;
    use super::*;
    use crate::rng::{Purpose, Seed};

    fn laplace(scale: u64) -> WordLaplace {
        WordLaplace::new(scale)
    }

    #[test]
    fn a_scale_is_between_one_and_two_to_the_48() {
        assert_eq!([0, 7, u64::MAX].map(|s| WordLaplace::new(s).scale()), [1, 7, MAX_SCALE]);
    }

    #[test]
    fn the_short_way_and_the_long_way_give_the_same_and_use_the_same_words() {
        for (i, scale) in [1, 3, 1 << 20, MAX_SCALE].into_iter().cycle().take(100_000).enumerate() {
            let stream = || Seed::default().stream(Purpose::Noise, 0, i as u64);
            let (mut short, mut long) = (stream(), stream());
            let attempt = laplace(scale).attempt(&mut short);
            let (negative, x) = coin_and_head(long.next_u64());
            let (half, u) = coin_and_31(long.next_u32());
            let (survived, floor) = laplace(scale).slow(Real::new(x), half, u, &mut long);
            assert_eq!((attempt.survived, attempt.negative), (survived, negative), "{i}");
            assert!(!survived || attempt.floor == floor, "{i}: {} and {floor}", attempt.floor);
            assert_eq!(short, long, "{i}");
        }
    }

    #[test]
    fn what_96_bits_leave_open_the_bits_after_them_decide() {
        // x begins as 1/3 does, and u is above: whether 3 x reaches 1 is not known yet.
        let third = 0x2AAA_AAAA_AAAA_AAAA_u64;
        for (next, floor) in [(0, 0), (u64::MAX, 1)] {
            let mut rng = Script::new([third << 1, u64::MAX, next]);
            assert_eq!(laplace(3).sample(&mut rng), floor);
            assert!(rng.0.is_empty(), "{rng:?}");
        }
        // u begins as x does: 32 bits more tell that x is lower, so it survives.
        let mut rng = Script::new([1 << 40, 1 << 8, 1]);
        assert_eq!(laplace(10).sample(&mut rng), 0);
        assert!(rng.0.is_empty(), "{rng:?}");
        // Or that it is not: without its half it is passed, and the next is 10 + 0.
        let mut rng = Script::new([(1 << 40) + 2, 1 << 8, 0, 0, u64::MAX]);
        assert_eq!(laplace(10).sample(&mut rng), 10);
        assert!(rng.0.is_empty(), "{rng:?}");
    }

    #[test]
    fn minus_zero_is_drawn_again_and_forgets_what_it_passed() {
        // An x near 0 survives as zero, with the lowest bit of its word for a minus; one near 1 with u below does not.
        let (plus_zero, minus_zero, passed) = ([0, 2 << 8], [1, 2 << 8], [u64::MAX, 0]);
        let mut rng = Script::new([minus_zero, minus_zero, plus_zero].concat());
        assert_eq!(laplace(10).sample(&mut rng), 0);
        // One that is passed adds 10 to the next, whose sign holds, and nothing to the one after.
        let mut rng =
            Script::new([passed, minus_zero, minus_zero, passed, passed, plus_zero, plus_zero].concat());
        let mut three = [0; 3];
        laplace(10).add_to(&mut three, &mut rng);
        assert_eq!(three, [-10, 20, 0]);
        assert!(rng.0.is_empty(), "{rng:?}");
    }

    #[test]
    fn sums_saturate_at_both_ends() {
        let mut values = [i64::MAX, i64::MIN].repeat(50);
        laplace(MAX_SCALE).add_to(&mut values, &mut Seed::default().stream(Purpose::Noise, 0, 0));
        assert!(values.iter().step_by(2).all(|v| *v > 0) && values.iter().skip(1).step_by(2).all(|v| *v < 0));
        assert!(values.contains(&i64::MAX) && values.contains(&i64::MIN));
    }
}
