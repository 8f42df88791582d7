//! Mixing in integers: what leaves one node arrives at others, to the last unit.
//!
//! The sum of all duals is unchanged by mixing, exactly, and so is the sum of all push-sum weights. Both ends of a link
//! compute what crossed it from what was said, so nothing needs to be acknowledged.

use crate::network::Degree;

/// A push-sum weight is a multiple of this; up to 4096 nodes the sum of all weights is below 2^53 of them, so that f64
/// holds every weight and every sum exactly.
pub(super) const WEIGHT_UNIT: f64 = 1.0 / (1_u64 << 40) as f64;

/// (12): over every link flows `trunc(W_ij (h_j - h_i))` with `W_ij = 1/max(deg_i, deg_j)`, which is odd in the two ends:
/// what one gains the other loses.
pub(super) fn circulate(me: Degree, mine: &[i64], others: &[(Degree, &[i64])]) -> Vec<i64> {
    let mut mixed = mine.to_vec();
    for (other, theirs) in others {
        let part = me.heard.max(other.heard).max(1) as i128;
        for ((sum, h), j) in mixed.iter_mut().zip(mine).zip(*theirs) {
            let flow = (i128::from(*j) - i128::from(*h)) / part;
            *sum = sum.saturating_add(flow as i64);
        }
    }
    mixed
}

/// (20): a sender gives `floor(h_j / outdeg_j)` to everyone it tells and keeps the rest.
pub(super) fn push(me: Degree, mine: &[i64], others: &[(Degree, &[i64])]) -> Vec<i64> {
    let parts = me.told.max(1) as i64;
    let mut mixed: Vec<i64> = mine.iter().map(|h| h - (parts - 1) * h.div_euclid(parts)).collect();
    for (other, theirs) in others {
        let parts = other.told.max(1) as i64;
        mixed.iter_mut().zip(*theirs).for_each(|(sum, h)| *sum = sum.saturating_add(h.div_euclid(parts)));
    }
    mixed
}

/// (21), split likewise. A node always keeps at least one unit, so that its ratio exists.
pub(super) fn push_weight(me: Degree, mine: f64, others: impl Iterator<Item = (Degree, f64)>) -> f64 {
    let units = |w: f64| (w / WEIGHT_UNIT) as i64;
    let others: Vec<(Degree, [i64; 1])> = others.map(|(degree, w)| (degree, [units(w)])).collect();
    let slices: Vec<(Degree, &[i64])> = others.iter().map(|(degree, w)| (*degree, &w[..])).collect();
    push(me, &[units(mine)], &slices)[0] as f64 * WEIGHT_UNIT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_flows_is_odd_and_what_is_pushed_is_whole() {
        let degree = |node, heard, told| Degree { node, heard, told };
        let (a, b) = (degree(0, 3, 3), degree(1, 2, 2));
        for (x, y) in [(5, -8), (-7, 0), (1_000_001, 3), (i64::MAX / 4, i64::MIN / 4)] {
            let left = circulate(a, &[x], &[(b, &[y])]);
            let right = circulate(b, &[y], &[(a, &[x])]);
            assert_eq!(left[0] + right[0], x + y, "{x} {y}");
            // a tells b, b tells nobody
            let (a, b) = (degree(0, 1, 2), degree(1, 2, 1));
            let (left, right) = (push(a, &[x], &[]), push(b, &[y], &[(a, &[x])]));
            assert_eq!(left[0] + right[0], x + y, "{x} {y}");
        }
        assert_eq!(push_weight(degree(0, 1, 3), WEIGHT_UNIT, std::iter::empty()), WEIGHT_UNIT);
    }
}
