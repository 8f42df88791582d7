//! The metrics of a run: those of the family, and those that a program adds.

use std::sync::LazyLock;

use super::{Id, METRICS, Metric};
use crate::Error;

/// Metrics in the order of their columns in `summary.csv`. The default has those of the family.
///
/// ```
/// use dpsda::metric::Metrics;
/// let metrics = Metrics::default();
/// assert_eq!(metrics.named("fitness").map(|metric| &*metric.label), Some("Average cost"));
/// ```
#[derive(Clone)]
pub struct Metrics(Vec<Metric>);

/// The metrics of the family.
pub fn all() -> &'static Metrics {
    static ALL: LazyLock<Metrics> = LazyLock::new(|| {
        let member = METRICS.iter().map(|listing| (listing.build)().named(listing.name, listing.about));
        Metrics(member.collect())
    });
    &ALL
}

/// The metrics of the family.
impl Default for Metrics {
    fn default() -> Self {
        all().clone()
    }
}

impl Metrics {
    /// These and one more metric, whose columns come last. Its name must not be taken.
    pub fn with(mut self, metric: Metric) -> Result<Self, Error> {
        let wrong = |remedy: &str| Err(Error::value("metric", format!("{:?}", metric.name), remedy));
        if metric.name.is_empty() || metric.label.is_empty() {
            return wrong("a metric needs a name and a label");
        }
        let names = |m: &Metric| [Some(m.name), m.column_name()];
        let taken = self.0.iter().flat_map(names).flatten().any(|name| names(&metric).contains(&Some(name)));
        if taken || ["trial", "t"].contains(&metric.name) {
            return wrong("another metric has this name (choose another one)");
        }
        self.0.push(metric);
        Ok(self)
    }

    /// All metrics, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Metric> {
        self.0.iter()
    }

    /// The metric with this identity.
    pub fn get(&self, metric: impl Into<Id>) -> Option<&Metric> {
        let id = metric.into();
        self.0.iter().find(|known| Id::from(*known) == id)
    }

    /// The metric with this name in lists and in `series.csv`.
    pub fn named(&self, name: &str) -> Option<&Metric> {
        self.0.iter().find(|metric| metric.name == name)
    }

    /// The metric that has this column in `summary.csv`.
    pub fn of_column(&self, name: &str) -> Option<&Metric> {
        self.0.iter().find(|metric| metric.column_name() == Some(name))
    }

    /// The metric that repeats or answers this key of the experiment.
    pub fn of_key(&self, key: &str) -> Option<&Metric> {
        self.0.iter().find(|metric| metric.setting.is_some_and(|setting| setting.key == key))
    }

    /// The columns of `summary.csv`, in order.
    pub fn summary(&self) -> impl Iterator<Item = (&'static str, &Metric)> {
        self.0.iter().filter_map(|metric| Some((metric.column_name()?, metric)))
    }

    /// The columns of `series.csv`, in order. The source of a derived metric comes before it.
    pub fn series(&self) -> Vec<&Metric> {
        let mut columns: Vec<&Metric> = Vec::new();
        for metric in self.0.iter() {
            let source = metric.source().and_then(|source| self.get(source));
            for metric in source.into_iter().chain([metric]).filter(|metric| metric.curve.is_some()) {
                push(metric, &mut columns);
            }
        }
        columns
    }

    /// The columns in the order of tables: a metric that follows another comes right after it.
    pub fn shown(&self) -> Vec<&Metric> {
        let mut shown = Vec::new();
        let columns = || self.0.iter().filter_map(|metric| Some((metric, metric.column.as_ref()?.follows)));
        columns()
            .filter(|(_, follows)| follows.is_none())
            .for_each(|(metric, _)| self.place(metric, &mut shown));
        columns().for_each(|(metric, _)| push(metric, &mut shown)); // metrics that follow one which is not there
        shown
    }

    /// Adds a metric and all that follow it.
    fn place<'a>(&'a self, metric: &'a Metric, shown: &mut Vec<&'a Metric>) {
        push(metric, shown);
        let id = Id::from(metric);
        let next = |next: &&Metric| next.column.as_ref().is_some_and(|column| column.follows == Some(id));
        self.0.iter().filter(next).for_each(|next| self.place(next, shown));
    }

    /// The metric shown after `±` next to the values of this one, if there is one.
    pub fn beside(&self, metric: impl Into<Id>) -> Option<&Metric> {
        let id = metric.into();
        let spread = |other: &&Metric| {
            let spread = other.column.as_ref().and_then(|column| column.spread);
            spread.is_some_and(|spread| spread.of == id && spread.beside)
        };
        self.0.iter().find(spread)
    }
}

/// Adds a metric that is not there yet.
fn push<'a>(metric: &'a Metric, to: &mut Vec<&'a Metric>) {
    if to.iter().all(|known| Id::from(*known) != Id::from(metric)) {
        to.push(metric);
    }
}
