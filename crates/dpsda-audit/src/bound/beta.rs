//! Binomial tails by the incomplete beta function, for any number of runs.

/// `P[Bin(n, p) >= k] = I_p(k, n - k + 1)`.
pub fn at_least(k: u64, n: u64, p: f64) -> f64 {
    match k {
        0 => 1.0,
        _ if k > n => 0.0,
        _ => incomplete(k as f64, (n - k + 1) as f64, p),
    }
}

/// The regularised incomplete beta function `I_x(a, b)`, by its continued fraction (Abramowitz and Stegun 26.5.8)
/// where it converges fast, and through `I_x(a, b) = 1 - I_{1-x}(b, a)` elsewhere.
fn incomplete(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

/// The continued fraction by Lentz's method. It takes about `sqrt(max(a, b))` steps.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let away = |y: f64| if y.abs() < 1e-300 { 1e-300 } else { y };
    let steps = 200 + 20 * a.max(b).sqrt() as u64;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let (mut c, mut value) = (1.0, d);
    for m in (1..=steps).map(|m| m as f64) {
        for term in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            value *= d * c;
        }
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// The logarithm of the gamma function of a positive number: Stirling's series from 10 on, the recurrence below.
fn ln_gamma(x: f64) -> f64 {
    let mut below = 0.0;
    let mut x = x;
    while x < 10.0 {
        below += x.ln();
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_the_sum_of_binomial_probabilities() {
        for (n, p) in [(1, 0.3), (7, 0.5), (40, 0.01), (300, 0.73)] {
            let mut term = (1.0_f64 - p).powi(n as i32);
            let mut below = 0.0;
            for k in 0..=n {
                assert!((at_least(k, n, p) - (1.0 - below)).abs() < 1e-12, "n {n} p {p} k {k}");
                below += term;
                term *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
            }
        }
    }

    #[test]
    fn large_numbers_agree_with_the_normal_law() {
        // Half a million fair coins: at the mean plus z deviations, up to the Edgeworth correction of order 1/n.
        let (n, z) = (500_000_u64, 3.0);
        let k = (n / 2) as f64 + 0.5 + z * (n as f64 / 4.0).sqrt();
        let tail = at_least(k.ceil() as u64, n, 0.5);
        assert!((tail / 1.3499e-3 - 1.0).abs() < 0.01, "{tail}");
    }
}
