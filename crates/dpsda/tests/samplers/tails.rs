//! How often chance alone is as far off: the tails of the two statistics.

/// P(X >= x) for chi-square X with an even number of degrees of freedom: that of fewer than half as many Poisson events
/// of mean x/2, a finite sum.
pub(crate) fn chi_square(x: f64, degrees: usize) -> f64 {
    assert!(
        degrees.is_multiple_of(2),
        "an odd number of cells has even degrees of freedom, and an exact tail"
    );
    let mut term = (-x / 2.0).exp();
    let mut sum = 0.0;
    for j in 0..degrees / 2 {
        sum += term;
        term *= x / 2.0 / (j + 1) as f64;
    }
    sum
}

/// A bound on P(D >= d) for the largest distance D between the distribution functions of `n` draws and of their law,
/// whatever the law: Dvoretzky, Kiefer and Wolfowitz with Massart's constant.
pub(crate) fn kolmogorov_smirnov(d: f64, n: f64) -> f64 {
    2.0 * (-2.0 * n * d * d).exp()
}

#[test]
fn tails_have_the_values_of_the_tables() {
    for (x, degrees, tail) in
        [(5.991, 2, 0.05), (18.307, 10, 0.05), (45.315, 20, 0.001), (135.807, 100, 0.01)]
    {
        assert!((chi_square(x, degrees) / tail - 1.0).abs() < 1e-3, "{x}, {degrees}");
    }
    assert!((kolmogorov_smirnov(1.358, 1.0) / 0.05 - 1.0).abs() < 1e-2);
}
