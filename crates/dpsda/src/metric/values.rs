//! Which metric, and what it came to.

use super::{Build, Metric};
use crate::catalog::Listing;

/// Which metric: values are looked up by it. A member's is made from its `LISTING`, a user's from the [`Metric`].
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

/// What a metric says of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum MetricValue {
    /// It does not apply.
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
