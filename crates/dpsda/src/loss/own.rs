//! Losses from closures.

use std::fmt;
use std::sync::Arc;

use super::{Loss, proximal};
use crate::Error;

type LossFn = Arc<dyn Fn(f64, f64) -> f64 + Send + Sync>;
type Tangent = Arc<dyn Fn(f64, f64, f64) -> (f64, f64) + Send + Sync>;

/// A loss of your own, from its value and its slope at a prediction `s` for a label `b`.
///
/// By default the loss may have kinks, its values may be negative, and labels are numbers.
///
/// ```
/// use dpsda::loss::{Loss, OwnLoss, check};
/// // Quantile regression: a prediction below the label costs nine times as much as one above.
/// let quantile = OwnLoss::new(
///     |s, b| if s < b { 0.9 * (b - s) } else { 0.1 * (s - b) },
///     |s, b| if s < b { -0.9 } else { 0.1 },
/// )
/// .at_least(0.0);
/// check(&quantile, &[-1.0, 0.5, 4.0], &[0.0, 2.0])?;
/// assert_eq!(quantile.value(0.0, 1.0), 0.9);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone)]
pub struct OwnLoss {
    value: LossFn,
    slope: LossFn,
    smoothness: f64,
    tangent: Option<Tangent>,
    least: f64,
    classifies: bool,
}

impl OwnLoss {
    /// A loss with this value and this slope. Their arguments are the prediction `s` and the label `b`. The value must be convex
    /// in `s`.
    pub fn new(
        value: impl Fn(f64, f64) -> f64 + Send + Sync + 'static,
        slope: impl Fn(f64, f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            value: Arc::new(value),
            slope: Arc::new(slope),
            smoothness: f64::INFINITY,
            tangent: None,
            least: f64::NEG_INFINITY,
            classifies: false,
        }
    }

    /// The same, with a slope that changes by at most `smoothness` per unit of `s`. The best decision in hindsight is found
    /// faster for a loss without kinks.
    ///
    /// ```
    /// use dpsda::loss::{Loss, OwnLoss};
    /// let half = OwnLoss::new(|s, b| (s - b) * (s - b) / 2.0, |s, b| s - b).smooth(1.0)?;
    /// assert_eq!(half.smoothness(), 1.0);
    /// assert!(half.smooth(0.0).is_err());
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn smooth(self, smoothness: f64) -> Result<Self, Error> {
        if smoothness > 0.0 && smoothness.is_finite() {
            return Ok(Self { smoothness, ..self });
        }
        let remedy = "expected a positive finite number (a loss with kinks leaves it out)";
        Err(Error::value("smoothness", smoothness, remedy))
    }

    /// The same, with values that are never below `least`.
    #[must_use]
    pub fn at_least(self, least: f64) -> Self {
        Self { least, ..self }
    }

    /// The same for labels that are the classes -1 and +1, predicted by the sign of `s`.
    ///
    /// ```
    /// use dpsda::loss::{Loss, OwnLoss};
    /// let perceptron = OwnLoss::new(|s, b| (-b * s).max(0.0), |s, b| if b * s < 0.0 { -b } else { 0.0 });
    /// assert!(perceptron.of_classes().classifies());
    /// ```
    #[must_use]
    pub fn of_classes(self) -> Self {
        Self { classifies: true, ..self }
    }

    /// The same with a formula for [`Loss::tangent`], a function of `(s, b, mu)`. Without one, the proximal point is found by
    /// bisection.
    ///
    /// ```
    /// use dpsda::loss::{Loss, OwnLoss};
    /// let absolute = OwnLoss::new(|s, b| (s - b).abs(), |s, b| if s == b { 0.0 } else { (s - b).signum() });
    /// let faster = absolute.clone().tangent_by(|s, b, mu| {
    ///     let slope = ((s - b) / mu).clamp(-1.0, 1.0);
    ///     (if slope.abs() < 1.0 { b } else { s - mu * slope }, slope)
    /// });
    /// let (found, exact) = (absolute.tangent(0.3, 0.0, 0.5), faster.tangent(0.3, 0.0, 0.5));
    /// assert!((found.0 - exact.0).abs() < 1e-12 && (found.1 - exact.1).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn tangent_by(self, tangent: impl Fn(f64, f64, f64) -> (f64, f64) + Send + Sync + 'static) -> Self {
        Self { tangent: Some(Arc::new(tangent)), ..self }
    }
}

impl Loss for OwnLoss {
    fn value(&self, s: f64, b: f64) -> f64 {
        (self.value)(s, b)
    }

    fn slope(&self, s: f64, b: f64) -> f64 {
        (self.slope)(s, b)
    }

    fn smoothness(&self) -> f64 {
        self.smoothness
    }

    fn tangent(&self, s: f64, b: f64, mu: f64) -> (f64, f64) {
        match &self.tangent {
            Some(tangent) => tangent(s, b, mu),
            None if self.smoothness.is_finite() => (s, self.slope(s, b)),
            None => proximal(|s| self.slope(s, b), s, mu),
        }
    }

    fn least(&self) -> f64 {
        self.least
    }

    fn classifies(&self) -> bool {
        self.classifies
    }
}

impl fmt::Debug for OwnLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnLoss")
            .field("smoothness", &self.smoothness)
            .field("least", &self.least)
            .field("classifies", &self.classifies)
            .finish_non_exhaustive()
    }
}
