//! Uniform real numbers of which only the bits that matter are drawn.
//!
//! A real number U, uniform on [0, 1), is a sequence of fair bits. A [`Real`] has drawn the first 63 of them, and words
//! of 64 after those only when a question could not be answered without. A question about U is answered when every
//! continuation of the bits drawn so far gives the same answer, so the answer is that of U itself. Bits that were drawn
//! are kept: later questions are about the same U. Undrawn bits are fair and independent of all that was answered.

use std::cmp::Ordering;

use rand::Rng;

/// How many bits the head has: those of a word, but one.
const HEAD: u32 = 63;

/// U, as far as it is known.
pub(super) struct Real {
    head: u64,
    tail: Vec<u64>,
}

/// A word, as a fair coin and the head of a [`Real`]: different bits, hence independent.
#[inline]
pub(super) fn coin_and_head(word: u64) -> (bool, u64) {
    (word & 1 == 1, word >> 1)
}

/// Half a word, as a fair coin and the first 31 bits of a uniform number.
#[inline]
pub(super) fn coin_and_31(half: u32) -> (bool, u32) {
    (half & 1 == 1, half >> 1)
}

/// The first bits of a head, as many as one is compared on before more are drawn.
#[inline]
pub(super) fn first_31(head: u64) -> u32 {
    (head >> 32) as u32
}

/// `floor(n U)` for `n <= 2^48` and the U that begins with `head`, as far as that decides, and the gap above.
///
/// With y in [0, 1) for the other bits, n U = (n head + n y) / 2^63. As n y < n, it carries at most once, and only if it
/// fills the gap between n head and the next multiple of 2^63. A gap of n or more is never filled: the floor is final.
#[inline(always)]
pub(super) fn floor_and_gap(n: u64, head: u64) -> (u64, u64) {
    let product = u128::from(n) * u128::from(head);
    ((product >> HEAD) as u64, (1 << HEAD) - (product as u64 & ((1 << HEAD) - 1)))
}

impl Real {
    /// The one that begins with these 63 bits.
    #[inline]
    pub(super) fn new(head: u64) -> Self {
        Self { head, tail: Vec::new() }
    }

    /// Whether this U is above an independent one, of which 31 bits are known and nothing is kept: equal as far as they
    /// are known, both are drawn further.
    #[inline]
    pub(super) fn exceeds<R: Rng + ?Sized>(&mut self, other: u32, rng: &mut R) -> bool {
        match first_31(self.head).cmp(&other) {
            Ordering::Equal => self.exceeds_further_on(rng),
            order => order == Ordering::Greater,
        }
    }

    #[cold]
    fn exceeds_further_on<R: Rng + ?Sized>(&mut self, rng: &mut R) -> bool {
        let (own, other) = (self.head as u32, rng.next_u32()); // the other 32 bits of both heads
        if own != other {
            return own > other;
        }
        let mut i = 0;
        loop {
            let (own, other) = (self.word(i, rng), rng.next_u64());
            if own != other {
                return own > other;
            }
            i += 1;
        }
    }

    /// `floor(n U)`, for `n <= 2^48`.
    #[inline]
    pub(super) fn floor_of_times<R: Rng + ?Sized>(&mut self, n: u64, rng: &mut R) -> u64 {
        let (floor, gap) = floor_and_gap(n, self.head);
        if gap >= n { floor } else { floor + u64::from(self.fills(gap, n, rng)) }
    }

    /// Whether n y >= gap, where y is the tail and 0 < gap < n.
    ///
    /// With y = (word + y') / 2^64 the question is whether n y' >= 2^64 gap - n word, which is the new gap: not above 0,
    /// yes; n or more, no, for n y' < n; else it is the same question again. 2^64 gap is below 2^112.
    #[cold]
    fn fills<R: Rng + ?Sized>(&mut self, gap: u64, n: u64, rng: &mut R) -> bool {
        let (mut gap, n) = (u128::from(gap), u128::from(n));
        let mut i = 0;
        loop {
            let word = u128::from(self.word(i, rng));
            let Some(rest @ 1..) = (gap << 64).checked_sub(n * word) else { return true };
            if rest >= n {
                return false;
            }
            gap = rest;
            i += 1;
        }
    }

    /// U/2 as far as its head and `words` words of its tail tell: no whole part, and these words after the point.
    pub(super) fn halved<R: Rng + ?Sized>(&mut self, words: usize, rng: &mut R) -> Vec<u64> {
        let mut limbs = vec![0, self.head];
        limbs.extend((0..words).map(|i| self.word(i, rng)));
        limbs
    }

    /// Word `i` of the tail, drawn when it is first asked for.
    fn word<R: Rng + ?Sized>(&mut self, i: usize, rng: &mut R) -> u64 {
        self.tail.get(i).copied().unwrap_or_else(|| {
            self.tail.push(rng.next_u64());
            self.tail[self.tail.len() - 1]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Script;
    use super::*;

    #[test]
    fn equal_heads_are_told_apart_by_the_words_that_follow_and_those_are_kept() {
        let mut x = Real::new(9 << 32 | 5);
        // The head's other half is 5; own 7, other 7; own 3, other 4: below. Then the same x against 5, 7, 2: above.
        // Then against 5, 6: above. Then against 4: above, and 6: below.
        let mut rng = Script::new([5, 7, 7, 3, 4, 5, 7, 2, 5, 6, 4, 6]);
        assert!(!x.exceeds(9, &mut rng));
        assert!(x.exceeds(9, &mut rng));
        assert!(x.exceeds(9, &mut rng));
        assert!(x.exceeds(9, &mut rng) && !x.exceeds(9, &mut rng));
        assert!(x.exceeds(8, &mut rng) && !x.exceeds(10, &mut rng));
        assert_eq!(x.tail, [7, 3]);
        assert!(rng.0.is_empty(), "{rng:?}");
    }

    /// `floor(n (head 2^128 + word 2^64 + last) / 2^191)`, the long way.
    fn floor(n: u64, head: u64, word: u64, last: u64) -> u64 {
        let times = |x: u64, carry: u128| u128::from(n) * u128::from(x) + carry;
        let carry = times(word, times(last, 0) >> 64) >> 64;
        (times(head, carry) >> HEAD) as u64
    }

    #[test]
    fn the_floor_of_a_multiple_is_that_of_long_multiplication_also_at_every_border() {
        let top = 1 << 48;
        for n in [1, 2, 3, 5, 7, 10, 1000, 1 << 20, (1 << 20) + 7, top - 1, top] {
            for j in [1, 2, 3, n / 3, n / 2, n - 1, n] {
                // The last head below j/n or at it, where n U may or may not reach j, and its neighbours.
                let border = ((u128::from(j) << HEAD) / u128::from(n)) as u64;
                for head in
                    [border.wrapping_sub(1), border, border + 1].into_iter().filter(|h| h >> HEAD == 0)
                {
                    // Likewise the last word below the border, and its neighbours.
                    let rest = (u128::from(j) << HEAD).saturating_sub(u128::from(n) * u128::from(head));
                    let word = ((rest << 64) / u128::from(n)) as u64;
                    for word in [0, word.wrapping_sub(1), word, word.wrapping_add(1), u64::MAX] {
                        // Two words may leave it open only if they stand on the border of a third; 0 and the largest
                        // there are on its two sides, but not on it.
                        for last in [1, u64::MAX - 1] {
                            let (mut x, mut rng) = (Real::new(head), Script::new([word, last]));
                            assert_eq!(
                                x.floor_of_times(n, &mut rng),
                                floor(n, head, word, last),
                                "{n} {head} {word} {last}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_third_is_followed_for_as_long_as_it_takes() {
        // U = 0.010101... in binary is 1/3, and 3 U reaches 1 only if the bits exceed that.
        let (head, word) = (0x2AAA_AAAA_AAAA_AAAA, 0xAAAA_AAAA_AAAA_AAAA);
        for (end, floor) in [(word - 1, 0), (word + 1, 1)] {
            let mut rng = Script::new([word, word, word, end]);
            assert_eq!(Real::new(head).floor_of_times(3, &mut rng), floor);
            assert!(rng.0.is_empty(), "{rng:?}");
        }
    }
}
