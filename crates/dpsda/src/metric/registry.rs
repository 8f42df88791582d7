//! The metrics of a run: those of the family, and a program's own.

use std::sync::LazyLock;

use super::{Id, METRICS, Metric};
use crate::Error;

/// Metrics in the order of their columns in `summary.csv`.
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

/// Those of the family.
impl Default for Metrics {
    fn default() -> Self {
        all().clone()
    }
}

impl Metrics {
    /// These and one more, whose columns follow. Its name must not be taken.
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

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Metric> {
        self.0.iter()
    }

    /// A metric.
    pub fn get(&self, metric: impl Into<Id>) -> Option<&Metric> {
        let id = metric.into();
        self.0.iter().find(|known| Id::from(*known) == id)
    }

    /// The metric of this name, as it stands in lists and in `series.csv`.
    pub fn named(&self, name: &str) -> Option<&Metric> {
        self.0.iter().find(|metric| metric.name == name)
    }

    /// The metric whose column of `summary.csv` this is.
    pub fn of_column(&self, name: &str) -> Option<&Metric> {
        self.0.iter().find(|metric| metric.column_name() == Some(name))
    }

    /// The metric that is about this key of the experiment.
    pub fn of_key(&self, key: &str) -> Option<&Metric> {
        self.0.iter().find(|metric| metric.setting.is_some_and(|setting| setting.key == key))
    }

    /// The columns of `summary.csv` in their order.
    pub fn summary(&self) -> impl Iterator<Item = (&'static str, &Metric)> {
        self.0.iter().filter_map(|metric| Some((metric.column_name()?, metric)))
    }

    /// The columns of `series.csv` in their order: what a metric is computed from stands before it.
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

    /// The columns as tables show them: what follows another stands right after it.
    pub fn shown(&self) -> Vec<&Metric> {
        let mut shown = Vec::new();
        let columns = || self.0.iter().filter_map(|metric| Some((metric, metric.column.as_ref()?.follows)));
        columns()
            .filter(|(_, follows)| follows.is_none())
            .for_each(|(metric, _)| self.place(metric, &mut shown));
        columns().for_each(|(metric, _)| push(metric, &mut shown)); // what follows nothing that is there
        shown
    }

    /// A metric and all that follow it.
    fn place<'a>(&'a self, metric: &'a Metric, shown: &mut Vec<&'a Metric>) {
        push(metric, shown);
        let id = Id::from(metric);
        let next = |next: &&Metric| next.column.as_ref().is_some_and(|column| column.follows == Some(id));
        self.0.iter().filter(next).for_each(|next| self.place(next, shown));
    }

    /// What stands behind the values of a metric after `±`, if anything does.
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
