//! Features brought to one size, by rules that look at one example only. So they cost no privacy, and a node can apply them to
//! samples as they arrive.

use std::sync::Arc;

use super::intercept::WithIntercept;
use super::{Dense, Features, Samples, Sparse};
use crate::Error;

/// What is done to the features of every example before it is learned from.
///
/// ```
/// use std::sync::Arc;
/// use dpsda::features::{Dense, Features, Samples, Scaling};
/// let raw = Arc::new(Samples::new(Dense::new(vec![30.0, 40.0, 0.0, 99.0], 2)?, vec![1.0, -1.0])?);
/// let x = [1.0, 10.0];
/// let unit = Scaling::unit().apply(Arc::clone(&raw))?;
/// assert_eq!(unit.features.dot(0, &x), 0.6 + 8.0);
/// let bounds = Scaling::between(0.0, 50.0)?.apply(Arc::clone(&raw))?;
/// assert_eq!(bounds.features.dot(1, &x), -1.0 + 10.0); // 99 is clamped to 50
/// let intercept = Scaling::none().intercept(true).apply(raw)?;
/// assert_eq!((intercept.features.dim(), intercept.features.dot(0, &[1.0, 0.0, 0.5])), (3, 30.5));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    rule: ScaleRule,
    intercept: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum ScaleRule {
    /// Features stay as they are.
    None,
    /// Each example is divided by its own Euclidean length.
    Unit,
    /// The same bounds for any number of features.
    Same(FeatureBounds),
    /// Bounds for each feature.
    Each(Arc<[FeatureBounds]>),
}

/// The public bounds of a feature, mapped to -1 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FeatureBounds {
    middle: f64,
    half: f64,
}

impl FeatureBounds {
    /// Checks the two bounds of a feature. `at` is its index in errors.
    fn new(at: &str, lower: f64, upper: f64) -> Result<Self, Error> {
        for (side, bound) in [("lower", lower), ("upper", upper)] {
            if !bound.is_finite() {
                let remedy = "expected a finite number (a public bound of the feature's values)";
                return Err(Error::value(format!("{side}{at}"), bound, remedy));
            }
        }
        // Halves first: the difference of two large numbers overflows.
        let (middle, half) = (lower / 2.0 + upper / 2.0, upper / 2.0 - lower / 2.0);
        if half > 0.0 {
            return Ok(Self { middle, half });
        }
        let remedy = format!("upper{at} is {upper} (lower must be below upper)");
        Err(Error::value(format!("lower{at}"), lower, remedy))
    }

    fn map(self, a: f64) -> f64 {
        ((a - self.middle) / self.half).clamp(-1.0, 1.0)
    }
}

impl Scaling {
    /// Features stay as they are.
    pub const fn none() -> Self {
        Self { rule: ScaleRule::None, intercept: false }
    }

    /// Each example is divided by its own Euclidean length. An example of zeros stays as it is.
    pub const fn unit() -> Self {
        Self { rule: ScaleRule::Unit, intercept: false }
    }

    /// `lower` becomes -1, `upper` becomes 1, and what lies outside is clamped. Bounds must be public knowledge: bounds that are
    /// taken from the data tell something about the data.
    ///
    /// ```
    /// # use dpsda::features::Scaling;
    /// let error = Scaling::between(3.0, -3.0).unwrap_err().to_string();
    /// assert_eq!(error, "lower = 3: upper is -3 (lower must be below upper)");
    /// ```
    pub fn between(lower: f64, upper: f64) -> Result<Self, Error> {
        Ok(Self { rule: ScaleRule::Same(FeatureBounds::new("", lower, upper)?), intercept: false })
    }

    /// The same with a lower and an upper bound per feature.
    ///
    /// ```
    /// # use dpsda::features::Scaling;
    /// let scaling = Scaling::between_each(vec![0.0, 150.0], vec![120.0, 200.0])?; // years, centimetres
    /// assert!(scaling.fits(2).is_ok() && scaling.fits(3).is_err());
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn between_each(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, Error> {
        if lower.len() != upper.len() {
            let remedy = format!("there are {} lower bounds (give one per feature)", lower.len());
            return Err(Error::value("upper", format!("{} numbers", upper.len()), remedy));
        }
        let each = lower.iter().zip(&upper).enumerate();
        let bounds: Result<Arc<[_]>, Error> =
            each.map(|(j, (lower, upper))| FeatureBounds::new(&format!("[{j}]"), *lower, *upper)).collect();
        Ok(Self { rule: ScaleRule::Each(bounds?), intercept: false })
    }

    /// Whether a constant feature 1 follows the others, after they are scaled.
    #[must_use]
    pub fn intercept(self, intercept: bool) -> Self {
        Self { intercept, ..self }
    }

    /// Whether there is a constant feature.
    pub fn has_intercept(&self) -> bool {
        self.intercept
    }

    /// Whether every feature is mapped from its bounds.
    pub fn has_bounds(&self) -> bool {
        matches!(self.rule, ScaleRule::Same(_) | ScaleRule::Each(_))
    }

    /// How many features an example has afterwards, if it has `features` before.
    pub fn dim(&self, features: usize) -> usize {
        features + usize::from(self.intercept)
    }

    /// Whether it can be applied to examples of this many features.
    pub fn fits(&self, features: usize) -> Result<(), Error> {
        match &self.rule {
            ScaleRule::Each(bounds) if bounds.len() != features => {
                let remedy = format!(
                    "{} bounds for {features} features (give one per feature, or one number for all)",
                    bounds.len()
                );
                Err(Error::value("lower", format!("{} numbers", bounds.len()), remedy))
            }
            _ => Ok(()),
        }
    }

    /// The samples with these features. Sparse features stay sparse, unless zero is mapped to another number.
    pub fn apply(&self, samples: Arc<Samples>) -> Result<Arc<Samples>, Error> {
        self.fits(samples.features.dim())?;
        let scaled = match self.rule {
            ScaleRule::None => samples,
            _ => {
                let features = self.rows(&*samples.features)?;
                Arc::new(Samples { features, labels: samples.labels.clone() })
            }
        };
        if !self.intercept {
            return Ok(scaled);
        }
        let labels = scaled.labels.clone();
        Ok(Arc::new(Samples { features: Box::new(WithIntercept(scaled)), labels }))
    }

    fn rows(&self, features: &dyn Features) -> Result<Box<dyn Features>, Error> {
        let (rows, dim) = (features.len(), features.dim());
        if features.is_sparse() && self.keeps_zero() {
            let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            for row in 0..rows {
                let mut entries = Vec::new();
                features.visit(row, &mut |column, a| entries.push((column, a)));
                self.change(&mut entries);
                for (column, a) in entries {
                    columns.push(u32::try_from(column).unwrap_or(u32::MAX)); // refused below
                    values.push(a);
                }
                starts.push(columns.len());
            }
            return Ok(Box::new(Sparse::new(starts, columns, values, dim)?));
        }
        let mut values = Vec::with_capacity(rows.saturating_mul(dim));
        let mut entries: Vec<(usize, f64)> = (0..dim).map(|column| (column, 0.0)).collect();
        for row in 0..rows {
            entries.iter_mut().for_each(|(_, a)| *a = 0.0);
            features.visit(row, &mut |column, a| {
                if let Some(entry) = entries.get_mut(column) {
                    entry.1 = a;
                }
            });
            self.change(&mut entries);
            values.extend(entries.iter().map(|(_, a)| *a));
        }
        Ok(Box::new(Dense::new(values, dim)?))
    }

    /// Changes the numbers of one example. Those left out are zeros, and stay zeros.
    fn change(&self, entries: &mut [(usize, f64)]) {
        match &self.rule {
            ScaleRule::None => {}
            ScaleRule::Unit => unit(entries),
            ScaleRule::Same(bounds) => entries.iter_mut().for_each(|(_, a)| *a = bounds.map(*a)),
            ScaleRule::Each(each) => {
                for (column, a) in entries {
                    *a = each.get(*column).map_or(*a, |bounds| bounds.map(*a));
                }
            }
        }
    }

    fn keeps_zero(&self) -> bool {
        match &self.rule {
            ScaleRule::None | ScaleRule::Unit => true,
            ScaleRule::Same(bounds) => bounds.map(0.0) == 0.0,
            ScaleRule::Each(each) => each.iter().all(|bounds| bounds.map(0.0) == 0.0),
        }
    }
}

/// Divides an example by its length. The largest number comes first, because squares of very large or small numbers are lost.
fn unit(entries: &mut [(usize, f64)]) {
    let largest = entries.iter().map(|(_, a)| a.abs()).fold(0.0, f64::max);
    if largest > 0.0 {
        entries.iter_mut().for_each(|(_, a)| *a /= largest);
        let length = entries.iter().map(|(_, a)| a * a).sum::<f64>().sqrt();
        entries.iter_mut().for_each(|(_, a)| *a /= length);
    }
}

#[cfg(test)]
#[path = "scaling/tests.rs"]
mod tests;
