//! Searches on a line.

/// The minimum of a function that falls and then rises, by golden section. The answer lies between the ends. For a function of
/// another shape it may not be the minimum, which is wasteful and never unsafe.
pub(super) fn least(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_left, mut at_right) = (f(left), f(right));
    for _ in 0..64 {
        // Infinite on both sides means too far to the right: the functions here blow up there.
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = f(right);
        }
        if high - low <= 1e-9 * (1.0 + low.abs()) {
            break; // the value is flat here: the square of this is below rounding
        }
    }
    if at_left <= at_right { left } else { right }
}

/// The border between `good` and `bad`, found on the side of `good`: the answer has been seen to satisfy `fits`, or is
/// `good` itself, which the caller vouches for.
pub(super) fn border(mut good: f64, mut bad: f64, fits: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = good + (bad - good) / 2.0;
        if middle == good || middle == bad {
            break;
        }
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_point_is_found_even_beside_infinity() {
        assert!((least(-10.0, 700.0, |x| (x - 3.0).powi(2)) - 3.0).abs() < 1e-6);
        assert!((least(-10.0, 700.0, |x| if x > 5.0 { f64::INFINITY } else { -x }) - 5.0).abs() < 1e-6);
    }

    #[test]
    fn the_border_is_the_last_number_that_fits() {
        let root = border(0.0, 2.0, |x| x * x <= 2.0);
        assert!(root * root <= 2.0 && root.next_up().powi(2) > 2.0);
    }
}
