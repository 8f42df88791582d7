//! A test of the properties that a loss states about itself.

use super::Loss;
use crate::Error;

/// Tests a loss at these predictions, with each of these labels. Values must be numbers, slopes finite. Values must lie above
/// every tangent and above [`Loss::least`]. Slopes must change no faster than [`Loss::smoothness`].
///
/// An error proves the loss wrong. Without an error, it may still be wrong at other predictions.
///
/// ```
/// use dpsda::loss::{OwnLoss, check};
/// let wrong = OwnLoss::new(|s, b| (s - b) * (s - b), |s, b| b - s); // the sign is wrong
/// let error = check(&wrong, &[0.0, 1.0], &[5.0]).unwrap_err().to_string();
/// assert!(error.starts_with("slope(0, 5) = 5: the value at 1 is 16, below the tangent's 30"));
/// ```
pub fn check(loss: &dyn Loss, predictions: &[f64], labels: &[f64]) -> Result<(), Error> {
    let pairs = |s: &f64| predictions.iter().map(|r| (*s, *r)).collect::<Vec<_>>();
    for b in labels {
        for (s, r) in predictions.iter().flat_map(pairs) {
            at(loss, s, r, *b)?;
        }
    }
    Ok(())
}

/// Compares the value and the slope at `r` with those at `s`.
fn at(loss: &dyn Loss, s: f64, r: f64, b: f64) -> Result<(), Error> {
    let (value, slope, there) = (loss.value(s, b), loss.slope(s, b), loss.value(r, b));
    let wrong = |what: &str, found: f64, remedy: String| {
        Err(Error::value(format!("{what}({s}, {b})"), found, remedy))
    };
    if value.is_nan() {
        return wrong("value", value, "expected a number".to_owned());
    }
    if !slope.is_finite() {
        return wrong("slope", slope, "expected a finite number".to_owned());
    }
    if value < loss.least() {
        return wrong("value", value, format!("it is below the least value, {}", loss.least()));
    }
    let below = value + slope * (r - s);
    if there < below - ROUNDING * (1.0 + value.abs() + below.abs()) {
        let remedy = format!(
            "the value at {r} is {there}, below the tangent's {below} (values must be convex, slopes their derivative)"
        );
        return wrong("slope", slope, remedy);
    }
    let (change, rate) = ((loss.slope(r, b) - slope).abs(), loss.smoothness());
    if change > rate * (r - s).abs() * (1.0 + ROUNDING) + ROUNDING {
        let remedy = format!("it changes by {change} towards {r}, faster than the smoothness {rate} allows");
        return wrong("slope", slope, remedy);
    }
    Ok(())
}

const ROUNDING: f64 = 1e-9;
