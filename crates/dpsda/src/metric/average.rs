//! Means, deviations, distances.

/// The mean; NaN if there are no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sample standard deviation; none for fewer than two values.
pub fn deviation(values: &[f64]) -> Option<f64> {
    let m = mean(values);
    let squares: f64 = values.iter().map(|v| (v - m) * (v - m)).sum();
    (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_has_a_mean_and_no_deviation() {
        assert_eq!((mean(&[3.0]), deviation(&[3.0])), (3.0, None));
        assert_eq!((mean(&[1.0, 2.0, 6.0]), deviation(&[1.0, 2.0, 6.0])), (3.0, Some(7f64.sqrt())));
        assert!(mean(&[]).is_nan() && deviation(&[]).is_none());
    }
}
