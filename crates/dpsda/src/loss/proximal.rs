//! Proximal points from slopes alone.

/// The proximal point `p = argmin mu phi(p) + (p - s)^2/2` of a convex phi with this slope, and `(s - p)/mu`, which lies in the
/// subdifferential at `p`. A loss with kinks returns these two from [`Loss::tangent`](super::Loss::tangent).
///
/// It evaluates about sixty slopes. If there is a formula, the formula is faster.
///
/// ```
/// use dpsda::loss::proximal;
/// let (p, slope) = proximal(|s| if s < 1.0 { -1.0 } else { 0.0 }, 0.75, 0.5); // the hinge stops at its kink
/// assert!((p - 1.0).abs() < 1e-12 && (slope + 0.5).abs() < 1e-12);
/// ```
pub fn proximal(slope: impl Fn(f64) -> f64, s: f64, mu: f64) -> (f64, f64) {
    let here = slope(s);
    let step = s - mu * here;
    if here == 0.0 || step == s || !step.is_finite() {
        return (s, here);
    }
    // p - s + mu slope(p) rises with p, is not positive at the lower end and not negative at the upper.
    let (mut low, mut high) = (s.min(step), s.max(step));
    for _ in 0..HALVINGS {
        let p = low + (high - low) / 2.0;
        if p - s + mu * slope(p) > 0.0 {
            high = p;
        } else {
            low = p;
        }
    }
    // A kink between the two ends has every slope between theirs.
    let p = low + (high - low) / 2.0;
    (p, ((s - p) / mu).max(slope(low)).min(slope(high)))
}

/// After this many halvings the interval is shorter than the rounding of its ends.
const HALVINGS: u32 = 60;
