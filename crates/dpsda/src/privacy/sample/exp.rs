//! Whether a uniform real number U is below exp(-z), for a rational z: exactly, in integers.
//!
//! U < exp(-z) says that U exp(z) < 1, or that the sum of U z^j/j!, j = 0, 1, ..., is below 1. All terms are positive, so none
//! cancels another. The first words of U give a number at or below it and one above, a unit of the last word apart. From each
//! a sum is computed, one with every term rounded down and one with every term rounded up:
//!
//! * If the lower sum reaches 1, so does the sum itself, from there on whatever follows: U is not below.
//! * Once 2 z <= j + 1, terms at least halve, so what follows term j is at most that term. If the upper sum with the last
//!   term once more is at most 1, so is the sum itself: U is below.
//! * Else one more word of U is drawn, and the question is asked again with numbers of one more word. U = exp(-z) has
//!   probability zero, so that ends.
//!
//! Numbers are halved throughout, U too: the 63 bits of its head are then those of a whole word after the point.

use rand::Rng;

use super::real::Real;

/// A number: its whole part and the words after the point.
type Limbs = Vec<u64>;

/// A rational `z`, as a product of fractions `a/b` with `b > 0` below 2^63.
pub(super) type Fractions<'a> = &'a [(u64, u64)];

impl Real {
    /// Whether this U is below exp(-z).
    pub(super) fn is_below_exp_minus<R: Rng + ?Sized>(&mut self, z: Fractions<'_>, rng: &mut R) -> bool {
        let mut words = 0;
        loop {
            let lower: Limbs = self.halved(words, rng);
            if let Some(answer) = settled(lower, z) {
                return answer;
            }
            words += 1;
        }
    }
}

/// Whether U exp(z) < 1, if that is the same for every U/2 from `lower` to a unit of its last word above.
fn settled(lower: Limbs, z: Fractions<'_>) -> Option<bool> {
    let mut upper = lower.clone();
    add(&mut upper, None);
    let (mut terms, mut sums) = ([lower.clone(), upper.clone()], [lower, upper]);
    for j in 1.. {
        if sums[0][0] > 0 || sums[0][1] >> 63 == 1 {
            return Some(false);
        }
        if halves(z, j) && is_unit(&terms[1]) {
            let mut most = sums[1].clone();
            add(&mut most, Some(&terms[1]));
            let [whole, first, rest @ ..] = &*most else { return None };
            let half = *first == 1 << 63 && rest.iter().all(|word| *word == 0);
            return (*whole == 0 && (*first >> 63 == 0 || half)).then_some(true);
        }
        for (a, b) in z.iter().copied().chain([(1, j)]) {
            if !times(&mut terms[0], a, b, false) {
                return Some(false); // 2^64 or more
            }
            if !times(&mut terms[1], a, b, true) {
                return None;
            }
        }
        let [lower, upper] = &mut sums;
        add(lower, Some(&terms[0]));
        add(upper, Some(&terms[1]));
    }
    None
}

/// Whether terms at least halve after term `j - 1`: 2 z <= j.
fn halves(z: Fractions<'_>, j: u64) -> bool {
    let product =
        |of: fn(&(u64, u64)) -> u64| z.iter().map(of).map(u128::from).try_fold(1_u128, u128::checked_mul);
    match (product(|z| z.0), product(|z| z.1)) {
        (Some(a), Some(b)) => a.checked_mul(2).is_some_and(|a| a <= b.saturating_mul(j.into())),
        _ => false,
    }
}

/// Whether it is a unit of the last word, or zero.
fn is_unit(number: &Limbs) -> bool {
    number.split_last().is_some_and(|(last, most)| *last <= 1 && most.iter().all(|word| *word == 0))
}

/// Adds a number, or a unit of the last word.
fn add(to: &mut Limbs, more: Option<&Limbs>) {
    let mut carry = more.is_none();
    for (k, word) in to.iter_mut().enumerate().rev() {
        let (sum, over) = word.overflowing_add(more.and_then(|more| more.get(k)).copied().unwrap_or(0));
        let (sum, again) = sum.overflowing_add(carry.into());
        (*word, carry) = (sum, over | again);
    }
}

/// Multiplies by a/b, and rounds down or up. False if that is 2^64 or more.
fn times(number: &mut Limbs, a: u64, b: u64, up: bool) -> bool {
    let (a, b) = (u128::from(a), u128::from(b));
    let mut carry = 0;
    for word in number.iter_mut().rev() {
        let product = u128::from(*word) * a + carry;
        (*word, carry) = (product as u64, product >> 64);
    }
    let mut rest = carry; // below a
    if rest >= b {
        return false;
    }
    for word in number.iter_mut() {
        let part = rest << 64 | u128::from(*word);
        (*word, rest) = ((part / b) as u64, part % b);
    }
    if up && rest > 0 {
        add(number, None);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::Script;
    use super::*;

    /// The first words of exp(-1)/2, from its decimals.
    const E: [u64; 3] = [0x2F16_AC6C_59DE_6F8D, 0x5D6F_63C1_482A_7C86, 0xED4C_02D5_5AB6_3B99];

    #[test]
    fn a_number_that_begins_as_exp_minus_one_is_followed_until_it_differs() {
        let ask = |words: &[u64]| {
            let mut rng = Script::new(words[1..].iter().copied());
            let below = Real::new(words[0]).is_below_exp_minus(&[(1, 1)], &mut rng);
            (below, rng.0.len())
        };
        assert_eq!(ask(&[E[0] - 100]), (true, 0));
        assert_eq!(ask(&[E[0] + 100]), (false, 0));
        assert_eq!(ask(&[E[0], E[1] - 1000]), (true, 0));
        assert_eq!(ask(&[E[0], E[1] + 1000]), (false, 0));
        assert_eq!(ask(&[E[0], E[1], 0xED00_0000_0000_0000]), (true, 0));
        assert_eq!(ask(&[E[0], E[1], 0xEE00_0000_0000_0000]), (false, 0));
    }

    #[test]
    fn it_agrees_with_the_exponential_function_where_that_can_tell() {
        for (a, b) in
            [(0, 1), (1, 1000), (1, 3), (2, 3), (7, 2), (20, 1), (40, 1), (700, 16), (1 << 40, 1 << 36)]
        {
            let p = (-(a as f64) / b as f64).exp() * 0.5_f64.powi(-63);
            for share in [0.0, 0.3, 0.999_999, 1.000_001, 1.5, 100.0, 1e18] {
                let head = p * share;
                if head < 9.2e18 && (head - p).abs() > 2.0 {
                    let mut rng = Script::new([]);
                    let below = Real::new(head as u64).is_below_exp_minus(&[(a, b)], &mut rng);
                    assert_eq!(below, share < 1.0, "{a}/{b} at {share}");
                }
            }
        }
    }

    #[test]
    fn a_product_of_fractions_is_their_product() {
        for head in [1 << 40, 1 << 55, 0x2F16_AC6C_59DE_0000, 0x2F16_AC6C_59DF_0000, 1 << 62] {
            let ask = |z: Fractions<'_>| Real::new(head).is_below_exp_minus(z, &mut Script::new([]));
            for (d, s) in [(3, 10), (10, 10), (31, 10), (1 << 28, 1 << 27)] {
                assert_eq!(ask(&[(d, s), (d, s), (1, 2)]), ask(&[(d * d, 2 * s * s)]), "{head} {d}/{s}");
            }
        }
    }

    #[test]
    fn absurd_questions_have_an_answer() {
        let ask = |head, z: Fractions<'_>, words: &[u64]| {
            Real::new(head).is_below_exp_minus(z, &mut Script::new(words.iter().copied()))
        };
        assert!(!ask(1, &[(1 << 62, 1)], &[]));
        assert!(!ask(0, &[(1000, 1)], &[0, 0, 1 << 63, 0, 0, 0, 0, 0, 0, 0]));
        assert!(ask((1 << 63) - 1, &[(0, 5)], &[]));
    }
}
