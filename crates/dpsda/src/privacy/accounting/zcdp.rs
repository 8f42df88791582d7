//! placeholder
/// e
pub fn epsilon(rho: f64, delta: f64) -> f64 {
    if !(delta > 0.0) {
        return f64::INFINITY;
    }
    (1..4000)
        .map(|k| {
            let a = 1.0 + 1e-2 * 1.004f64.powi(k);
            rho * a + (1.0 / (a * delta)).ln() / (a - 1.0) + (1.0 - 1.0 / a).ln()
        })
        .fold(f64::INFINITY, f64::min)
        .max(0.0)
}
