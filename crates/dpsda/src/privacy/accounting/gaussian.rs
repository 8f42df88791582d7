//! One Gaussian release over the reals, exactly (Balle, Wang 2018, Theorem 8).
//!
//! `mu` is the L2 sensitivity over the standard deviation. `k` releases of `mu` are one of `sqrt(k) mu`; so is a vector,
//! because only the direction of the change matters. With `a = eps/mu - mu/2` and `b = eps/mu + mu/2`,
//!
//! ```text
//! delta = Phi(-a) - e^eps Phi(-b) = phi(a) * integral over t > 0 of exp(-a t - t^2/2) (1 - exp(-mu t))
//! ```
//!
//! The first form cancels for small mu and underflows in the tail. The second is positive throughout and is integrated
//! to full precision at any depth. The margin covers rounding: `phi(a)` is as exact as `a^2` is, so answers are
//! raised by `16 u (1 + |a|)(1 + eps/mu + mu)` of themselves, `u = 2^-52`.

use super::{quadrature, search, zcdp};

/// The least delta of a Gaussian release with this mu at this epsilon.
pub fn delta(mu: f64, epsilon: f64) -> f64 {
    if !(mu >= 0.0 && epsilon >= 0.0 && mu < f64::INFINITY) {
        return 1.0; // also for NaN
    }
    if mu == 0.0 || epsilon == f64::INFINITY {
        return 0.0;
    }
    let (a, b) = (epsilon / mu - mu / 2.0, epsilon / mu + mu / 2.0);
    let scale = 1.0 / (1.0 + a.max(0.0)); // the length over which the integrand falls
    let value = if mu * scale < 1.0 {
        density(a) * integral(a, |t| -(-mu * t).exp_m1())
    } else if a < 0.0 {
        1.0 - density(a) * (mills(-a) + mills(b))
    } else {
        density(a) * (mills(a) - mills(b))
    };
    if value == 0.0 {
        return f64::MIN_POSITIVE; // the exponential underflowed
    }
    let margin = 16.0 * f64::EPSILON * (1.0 + a.abs()) * (1.0 + epsilon / mu + mu);
    let bound = value * (1.0 + margin) + f64::MIN_POSITIVE;
    if bound.is_nan() { 1.0 } else { bound.min(1.0) }
}

/// The least epsilon of a Gaussian release with this mu at this delta.
pub fn epsilon(mu: f64, delta: f64) -> f64 {
    if !(mu >= 0.0 && delta >= 0.0) {
        return f64::INFINITY;
    }
    let fits = |epsilon: f64| self::delta(mu, epsilon) <= delta;
    if fits(0.0) {
        return 0.0;
    }
    // The Gaussian is mu^2/2-zCDP (Bun, Steinke 2016, Proposition 1.6), which is above but not far above.
    let enough = zcdp::epsilon(mu * mu / 2.0 * (1.0 + 1e-14), delta);
    if enough == f64::INFINITY { enough } else { search::border(enough, 0.0, fits) }
}

/// The largest mu that gives (epsilon, delta): `epsilon(mu(e, d), d) <= e` holds for the numbers as computed.
pub fn mu(epsilon: f64, delta: f64) -> f64 {
    if !(epsilon >= 0.0 && (0.0..=1.0).contains(&delta)) {
        return 0.0;
    }
    let found = search::border(-745.0, 355.0, |t| self::delta(t.exp(), epsilon) <= delta).exp();
    // Rounding may have put it slightly too high for `epsilon`: step back until that agrees.
    let fits = |mu: f64| self::epsilon(mu, delta) <= epsilon;
    (0..40).map(|i| found * (1.0 - 1e-14 * 2f64.powi(i)).max(0.0)).find(|mu| fits(*mu)).unwrap_or(0.0)
}

/// The standard normal density.
fn density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// `Phi(-x)/phi(x)`, Mills' ratio, for `x >= 0`.
fn mills(x: f64) -> f64 {
    integral(x, |_| 1.0)
}

/// The integral of `exp(-x t - t^2/2) g(t)` over `t > 0`, for `x > -1` and `g` smooth on the scale of the rest. Beyond
/// 50 scales less than 1e-16 of it remains.
fn integral(x: f64, g: impl Fn(f64) -> f64) -> f64 {
    let scale = 1.0 / (1.0 + x.max(0.0));
    let mut sum = 0.0;
    quadrature::nodes(0.0, 50.0, 50, |v, w| {
        let t = v * scale;
        sum += w * (-x * t - t * t / 2.0).exp() * g(t);
    });
    sum * scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_gets_the_safe_answer() {
        for bad in [f64::NAN, -1.0, f64::NEG_INFINITY] {
            assert_eq!((delta(bad, 1.0), delta(1.0, bad)), (1.0, 1.0));
            assert_eq!((epsilon(bad, 1e-5), epsilon(1.0, bad)), (f64::INFINITY, f64::INFINITY));
            assert_eq!((mu(bad, 1e-5), mu(1.0, bad)), (0.0, 0.0));
        }
        assert_eq!((epsilon(1.0, 0.0), epsilon(0.0, 0.0), epsilon(1.0, 1.0)), (f64::INFINITY, 0.0, 0.0));
        assert_eq!(delta(f64::INFINITY, 1.0), 1.0);
        assert_eq!((delta(1e300, 1.0), delta(1e-300, 1.0)), (1.0, f64::MIN_POSITIVE));
    }

    #[test]
    fn at_epsilon_zero_delta_is_the_total_variation() {
        // erf(mu / sqrt 8), to 20 digits elsewhere.
        for (mu, tv) in
            [(1e-8, 3.989_422_804_014_327e-9), (1.0, 0.382_924_922_548_026_2), (8.0, 0.999_936_657_516_333_7)]
        {
            let d = delta(mu, 0.0);
            assert!(d >= tv * (1.0 - 1e-16) && d <= tv * (1.0 + 1e-12), "{mu}: {d} {tv}");
        }
    }

    #[test]
    fn the_mu_of_a_target_never_exceeds_the_target() {
        for e in [0.0, 1e-6, 0.2, 1.0, 10.0, 300.0] {
            for d in [1e-100, 1e-12, 1e-5, 0.1] {
                let m = mu(e, d);
                assert!(epsilon(m, d) <= e, "{e} {d}");
                assert!(delta(m * (1.0 + 1e-9), e) > d, "not the largest: {e} {d} {m}");
            }
        }
    }
}
