//! Integrals of smooth positive functions, without cancellation.

/// Gauss-Legendre on [-1, 1] with eight nodes: nodes of one sign, and their weights.
const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
];

/// Calls `visit(x, w)` for every node of `panels` equal panels over `[low, high]`, so that the sum of `w f(x)` is the
/// integral of `f`. Exact for degree 15: for `exp(-x)` and panels of width 1 the relative error is below 1e-16.
pub(super) fn nodes(low: f64, high: f64, panels: usize, mut visit: impl FnMut(f64, f64)) {
    let half = (high - low) / panels as f64 / 2.0;
    for panel in 0..panels {
        let middle = low + half * (2 * panel + 1) as f64;
        for (x, w) in NODES {
            visit(middle - half * x, half * w);
            visit(middle + half * x, half * w);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_integrated_to_the_last_digits() {
        let mut sum = 0.0;
        nodes(0.0, 50.0, 50, |x, w| sum += w * (-x).exp());
        assert!((sum - 1.0).abs() < 1e-15, "{sum}");
    }
}
