//! The identity of a metric, and its values.

use super::{Build, Metric};
use crate::catalog::Listing;

/// The identity of a metric, by which values are looked up. Make it from the `LISTING` of a member of the family, or from a
/// [`Metric`] of your own.
///
/// ```
/// use dpsda::metric::{Id, fitness};
/// assert_eq!(Id::from(&fitness::LISTING).to_string(), "fitness");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(&'static str);

impl From<&Listing<Build>> for Id {
    fn from(listing: &Listing<Build>) -> Self {
        Self(listing.name)
    }
}

impl From<&Metric> for Id {
    fn from(metric: &Metric) -> Self {
        Self(metric.name)
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// One number per metric.
///
/// ```
/// use dpsda::metric::{Id, MetricNumbers, fitness, rounds};
/// let numbers: MetricNumbers = [(Id::from(&fitness::LISTING), 0.25)].into_iter().collect();
/// assert_eq!((numbers.get(&fitness::LISTING), numbers.get(&rounds::LISTING)), (Some(0.25), None));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MetricNumbers(Vec<(Id, f64)>);

impl MetricNumbers {
    /// The number of a metric, if it has one.
    pub fn get(&self, metric: impl Into<Id>) -> Option<f64> {
        let id = metric.into();
        self.0.iter().find(|(known, _)| *known == id).map(|(_, value)| *value)
    }
}

impl FromIterator<(Id, f64)> for MetricNumbers {
    fn from_iter<I: IntoIterator<Item = (Id, f64)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

/// The value of a metric for a run.
///
/// ```
/// use dpsda::metric::MetricValue;
/// assert_eq!(MetricValue::from(Some(0.5)), MetricValue::Number(0.5));
/// assert_eq!(MetricValue::from(None::<f64>), MetricValue::Nothing);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum MetricValue {
    /// The metric does not apply.
    Nothing,
    /// A count.
    Whole(u64),
    /// A number, perhaps infinite.
    Number(f64),
    /// Words.
    Text(String),
}

impl From<u64> for MetricValue {
    fn from(count: u64) -> Self {
        Self::Whole(count)
    }
}

impl From<f64> for MetricValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for MetricValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for MetricValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for MetricValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Into::into)
    }
}
