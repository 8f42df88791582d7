//! Sums of whole units.

/// Adds them, or takes them away. Sums go round at the end of the integers, as they do on the links.
pub(crate) fn count(sum: &mut Vec<i64>, units: &[i64], sign: i64) {
    sum.resize(units.len(), 0);
    sum.iter_mut().zip(units).for_each(|(s, k)| *s = s.wrapping_add(sign.wrapping_mul(*k)));
}
