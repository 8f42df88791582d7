//! Zero-concentrated differential privacy: `D_alpha(P, Q) <= rho alpha` for every `alpha > 1` (Bun, Steinke 2016).
//!
//! The conversion is Canonne, Kamath, Steinke 2020, Corollary 13: for every `alpha > 1`,
//!
//! ```text
//! ln delta = (alpha - 1)(alpha rho - eps) + (alpha - 1) ln(1 - 1/alpha) - ln alpha
//! ```
//!
//! Every `alpha` gives a valid bound, so a search that stops early is wasteful and never wrong. The right side is convex in
//! `alpha` (its slope `(2 alpha - 1) rho - eps + ln(1 - 1/alpha)` rises), hence one minimum. The last step adds 1e-14 of
//! the sizes of the terms, some forty roundings, to each answer.

use super::search;

/// More than the rounding of the few operations below, relative to the largest term.
const MARGIN: f64 = 1e-14;

/// The least epsilon known for rho-zCDP at this delta.
pub fn epsilon(rho: f64, delta: f64) -> f64 {
    if !(rho >= 0.0 && delta >= 0.0) {
        return f64::INFINITY; // also for NaN
    }
    if rho == 0.0 || delta >= 1.0 {
        return 0.0;
    }
    if delta == 0.0 || rho == f64::INFINITY {
        return f64::INFINITY;
    }
    let at = |t: f64| {
        let above = t.exp(); // alpha - 1
        let terms = [rho * (1.0 + above), -delta.ln() / above, -above.ln_1p() / above, -log_share(above)];
        terms.iter().sum::<f64>() + MARGIN * terms.iter().map(|t| t.abs()).sum::<f64>()
    };
    let value = at(search::least(-36.0, 380.0, at));
    if value.is_nan() { f64::INFINITY } else { value.max(0.0) }
}

/// The least delta known for rho-zCDP at this epsilon.
pub fn delta(rho: f64, epsilon: f64) -> f64 {
    if !(rho >= 0.0 && epsilon >= 0.0 && rho < f64::INFINITY) {
        return 1.0;
    }
    if rho == 0.0 || epsilon == f64::INFINITY {
        return 0.0;
    }
    let slope = |t: f64| rho * (1.0 + 2.0 * t.exp()) - epsilon - log_share(t.exp());
    let above = search::border(-36.0, 380.0, |t| slope(t) <= 0.0).exp();
    let terms = [above * (1.0 + above) * rho, -above * epsilon, -above * log_share(above), -above.ln_1p()];
    let log = terms.iter().sum::<f64>() + MARGIN * (1.0 + terms.iter().map(|t| t.abs()).sum::<f64>());
    // Where the exponential underflows, the smallest positive number is still above it.
    if log.is_nan() { 1.0 } else { log.exp().clamp(f64::MIN_POSITIVE, 1.0) }
}

/// The largest rho known to give (epsilon, delta): `epsilon(rho(e, d), d) <= e` holds for the numbers as computed.
pub fn rho(epsilon: f64, delta: f64) -> f64 {
    if !(epsilon >= 0.0 && (0.0..=1.0).contains(&delta)) {
        return 0.0;
    }
    let fits = |rho: f64| self::epsilon(rho, delta) <= epsilon;
    // Logarithms of rho: any size of it is one of these.
    let log = search::border(-745.0, 710.0, |t| fits(t.exp()));
    let rho = log.exp();
    if fits(rho) { rho } else { 0.0 }
}

/// The rho of any epsilon-DP mechanism: `eps tanh(eps/2)`, below the `eps^2/2` of Bun and Steinke 2016, and the least that
/// holds for all of them.
///
/// Proof. Among all epsilon-DP mechanisms randomised response has the largest divergences (Kairouz, Oh, Viswanath 2015),
/// and for it `(alpha - 1) D_alpha = ln cosh((alpha - 1/2) eps) - ln cosh(eps/2)`. With `u = alpha (alpha - 1)` the first
/// term is `g(u) = ln cosh(eps sqrt(u + 1/4))`, and the second `g(0)`. As `tanh(y)/y` falls, `g'` falls: `g` is
/// concave, so `g(u) - g(0) <= u g'(0) = alpha (alpha - 1) eps tanh(eps/2)`. As `alpha -> 1` it becomes an equality,
/// so nothing smaller would do.
pub fn of_pure(epsilon: f64) -> f64 {
    if epsilon >= 0.0 { epsilon * (epsilon / 2.0).tanh() * (1.0 + MARGIN) } else { f64::INFINITY }
}

/// `-ln(1 - 1/alpha)` for `alpha = 1 + above`, exact for small and for large alpha.
fn log_share(above: f64) -> f64 {
    if above < 1.0 { above.ln_1p() - above.ln() } else { above.recip().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_gets_the_safe_answer() {
        for bad in [f64::NAN, -1.0, f64::NEG_INFINITY] {
            assert_eq!(epsilon(bad, 1e-5), f64::INFINITY);
            assert_eq!(epsilon(1.0, bad), f64::INFINITY);
            assert_eq!((delta(bad, 1.0), delta(1.0, bad)), (1.0, 1.0));
            assert_eq!((rho(bad, 1e-5), rho(1.0, bad), of_pure(bad)), (0.0, 0.0, f64::INFINITY));
        }
        assert_eq!((epsilon(1.0, 0.0), epsilon(0.0, 0.0), epsilon(1.0, 1.0)), (f64::INFINITY, 0.0, 0.0));
        assert_eq!((epsilon(f64::INFINITY, 0.5), delta(f64::INFINITY, 9.0)), (f64::INFINITY, 1.0));
    }

    #[test]
    fn the_rho_of_a_target_never_exceeds_the_target() {
        for e in [0.0, 1e-12, 1e-3, 0.2, 1.0, 10.0, 1e3, 1e100] {
            for d in [1e-300, 1e-12, 1e-5, 0.1, 0.9] {
                let r = rho(e, d);
                assert!(epsilon(r, d) <= e, "{e} {d}");
                assert!(e == 0.0 || epsilon(r * (1.0 + 1e-9), d) > e, "not the largest: {e} {d} {r}");
            }
        }
    }

    #[test]
    fn delta_and_epsilon_undo_each_other() {
        for r in [1e-12, 1e-4, 0.02, 0.5, 30.0, 1e6] {
            for d in [1e-200, 1e-12, 1e-5, 0.01] {
                let e = epsilon(r, d);
                let back = delta(r, e);
                // Where epsilon is 0 there is delta to spare.
                assert!(back <= d * (1.0 + 1e-6) && (e == 0.0 || back >= d * (1.0 - 1e-6)), "{r} {d} {back}");
            }
        }
    }

    #[test]
    fn pure_costs_what_randomised_response_does_and_no_order_costs_more() {
        for e in [1e-6, 0.1, 1.0, 5.0, 20.0f64] {
            let r = of_pure(e);
            assert!(r <= e * e / 2.0 * (1.0 + 1e-13));
            for alpha in [1.0 + 1e-6, 1.1, 2.0, 10.0, 1e3f64] {
                let log_cosh = |y: f64| y + (-2.0 * y).exp().ln_1p() - 2f64.ln();
                let renyi = (log_cosh((alpha - 0.5) * e) - log_cosh(e / 2.0)) / (alpha - 1.0);
                assert!(renyi <= r * alpha * (1.0 + 1e-8) + 1e-9, "{e} {alpha}: {renyi} > {}", r * alpha);
            }
        }
    }
}
