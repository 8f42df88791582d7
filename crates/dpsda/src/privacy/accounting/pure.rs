//! Many pure releases together, exactly.

use super::zcdp;

/// Above this many releases the sum is not walked term by term.
const WALKED: u64 = 10_000_000;

/// The least epsilon that holds at `delta` for every composition of `times` epsilon-DP mechanisms, chosen adaptively:
/// Kairouz, Oh, Viswanath 2015, Theorem 3.3, solved for epsilon between its corners too.
///
/// The worst case is randomised response: the loss is `(times - 2 l) epsilon` with probability
/// `C(times, l) e^((times - l) epsilon) / (1 + e^epsilon)^times`. The sum over `l` is walked from the largest loss down;
/// all terms are positive and each is the last one times a ratio, so its relative error is below `8 u (times + 50)`,
/// which is added. Beyond ten million releases the answer is that of zCDP, which is never below.
pub fn pure_composition(epsilon: f64, times: u64, delta: f64) -> f64 {
    if !(epsilon >= 0.0 && delta >= 0.0) {
        return f64::INFINITY; // also for NaN
    }
    if epsilon == 0.0 || times == 0 || delta >= 1.0 {
        return 0.0;
    }
    let k = times as f64;
    let basic = k * epsilon * (1.0 + 2.0 * f64::EPSILON);
    if delta == 0.0 || basic == f64::INFINITY {
        return basic;
    }
    let concentrated = zcdp::epsilon(k * zcdp::of_pure(epsilon), delta);
    let walked = if times <= WALKED { walk(epsilon, times, delta) } else { f64::INFINITY };
    basic.min(concentrated).min(walked)
}

fn walk(epsilon: f64, times: u64, delta: f64) -> f64 {
    /// Keeps the numbers near 1; their logarithm goes to `scale`.
    const FOLD: f64 = 1e200;
    let k = times as f64;
    let log_share = (-epsilon).exp().ln_1p(); // -ln of the chance that one release tells the truth
    let mut scale = -k * log_share; // ln of the first term
    let margin = 8.0 * f64::EPSILON * (k * (1.0 + log_share) + 50.0);
    let goal = delta.ln() - margin;
    // At the loss `top`, in units of exp(scale): the next term; the sum above top of p (1 - e^(top - loss)); of p e^(top - loss).
    let (mut term, mut gone, mut kept) = (1.0, 0.0, 0.0);
    let fall = -(-2.0 * epsilon).exp_m1();
    for l in 0..=times / 2 {
        let top = (k - 2.0 * l as f64) * epsilon;
        kept += term;
        let next = gone + kept * fall; // delta two epsilons further down
        if scale + f64::ln(next) > goal {
            // Between the two, delta(top - t) = gone + kept (1 - e^-t).
            let share = (((goal - scale).exp() - gone) / kept).clamp(0.0, fall);
            return (top + (-share).ln_1p() + top * 4.0 * f64::EPSILON).max(0.0);
        }
        (gone, kept) = (next, kept * (1.0 - fall));
        term *= (k - l as f64) / (l as f64 + 1.0) * (-epsilon).exp();
        if gone + kept + term > FOLD {
            (term, gone, kept) = (term / FOLD, gone / FOLD, kept / FOLD);
            scale += FOLD.ln();
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_release_costs_at_most_itself() {
        for e in [1e-9, 0.1, 1.0, 30.0, 1e3] {
            assert!(pure_composition(e, 1, 1e-9) <= e * (1.0 + 1e-15));
            assert_eq!(pure_composition(e, 1, 0.0), e * (1.0 + 2.0 * f64::EPSILON));
        }
        // delta = (e^e - e^x)/(1 + e^e), solved for x.
        let (e, d) = (1.0f64, 0.1);
        let x = (e.exp() - d * (1.0 + e.exp())).ln();
        assert!((pure_composition(e, 1, d) - x).abs() < 1e-12);
    }

    #[test]
    fn the_corners_of_the_theorem_are_met() {
        // times = 3, i = 1: delta = (e^3e - e^e)/(1 + e^e)^3 at epsilon e.
        let e = 0.7f64;
        let d = ((3.0 * e).exp() - e.exp()) / (1.0 + e.exp()).powi(3);
        assert!((pure_composition(e, 3, d) - e).abs() < 1e-12);
    }

    #[test]
    fn no_count_and_no_nonsense_is_too_much() {
        assert_eq!(pure_composition(f64::NAN, 3, 0.1), f64::INFINITY);
        assert_eq!(pure_composition(0.1, 3, f64::NAN), f64::INFINITY);
        assert_eq!(pure_composition(-0.1, 3, 0.1), f64::INFINITY);
        assert_eq!(pure_composition(f64::INFINITY, 3, 0.1), f64::INFINITY);
        assert_eq!((pure_composition(0.0, 9, 0.0), pure_composition(1.0, 0, 0.0)), (0.0, 0.0));
        assert!(pure_composition(1e-9, u64::MAX, 1e-6) < 40.0);
        assert!(pure_composition(1e300, u64::MAX, 1e-6).is_infinite());
    }

    #[test]
    fn a_million_releases_cost_what_the_normal_law_says() {
        // The loss is nearly N(k eps tanh(eps/2), k eps^2): one Gaussian release with mu = eps sqrt(k).
        let exact = pure_composition(1e-3, 1_000_000, 1e-6);
        let normal = crate::privacy::accounting::gaussian::epsilon(1.0, 1e-6);
        assert!((exact / normal - 1.0).abs() < 1e-3, "{exact} {normal}");
    }
}
