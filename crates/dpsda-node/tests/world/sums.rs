//! Sums of whole units.

/// Adds or subtracts units. Sums wrap around on overflow, as they do on the links.
pub(crate) fn count(sum: &mut Vec<i64>, units: &[i64], sign: i64) {
    sum.resize(units.len(), 0);
    sum.iter_mut().zip(units).for_each(|(s, k)| *s = s.wrapping_add(sign.wrapping_mul(*k)));
}
