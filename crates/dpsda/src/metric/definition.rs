//! The definition of a metric.

use std::borrow::Cow;
use std::sync::Arc;

use super::computed::Computed;
use super::{Better, Column, Curve, Id, Setting, Start, Terminal, Uncertainty, Unit};

/// A metric: how it is computed, its names, and where it is shown.
///
/// ```
/// use dpsda::metric::{Better, Curve, Metric, Unit};
///
/// let worst = Metric::largest(|round| round.costs.iter().copied().fold(0.0, f64::max))
///     .named("cost_largest", "The largest cost of any round.")
///     .label("Largest cost")
///     .unit(Unit::Cost)
///     .better(Better::Lower)
///     .curve(Curve::new("The largest cost of any round so far."));
/// assert_eq!(worst.column_name(), Some("cost_largest"));
/// ```
#[derive(Clone)]
pub struct Metric {
    /// Its name in files and lists.
    pub name: &'static str,
    /// One sentence about it.
    pub note: &'static str,
    /// Its name in titles.
    pub label: Cow<'static, str>,
    /// The unit of its values.
    pub unit: Unit,
    /// Whether lower or higher is better.
    pub better: Better,
    /// Its column in `summary.csv`, if it has one.
    pub column: Option<Column>,
    /// Its column in `series.csv`, if it has one.
    pub curve: Option<Curve>,
    /// The key of the experiment that it repeats or answers, if there is one.
    pub setting: Option<Setting>,
    pub(super) computed: Computed,
    pub(super) applies: Arc<dyn Fn(&Start<'_>) -> bool + Send + Sync>,
    pub(super) largest_trial: bool,
}

impl Metric {
    pub(super) fn new(computed: Computed) -> Self {
        let heading = Cow::Borrowed("");
        let column = Column {
            name: None,
            heading,
            main: false,
            terminal: None,
            follows: None,
            spread: None,
            instead: None,
        };
        Self {
            name: "",
            note: "",
            label: Cow::Borrowed(""),
            unit: Unit::None,
            better: Better::Neither,
            column: Some(column),
            curve: None,
            setting: None,
            computed,
            applies: Arc::new(|_| true),
            largest_trial: false,
        }
    }

    /// The name of its column in `summary.csv`, if it has one.
    pub fn column_name(&self) -> Option<&'static str> {
        self.column.as_ref().map(|column| column.name.unwrap_or(self.name))
    }
}

/// Its names, and where it is shown.
impl Metric {
    /// Sets its name in files and lists, and one sentence about it. Members of the family get both from their row.
    #[must_use]
    pub fn named(mut self, name: &'static str, note: &'static str) -> Self {
        (self.name, self.note) = (name, note);
        self
    }

    /// Sets its name in titles. In lower case it is also the heading of its column, unless another one is set.
    #[must_use]
    pub fn label(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.label = label.into();
        if let Some(column) = self.column.as_mut().filter(|column| column.heading.is_empty()) {
            column.heading = self.label.to_lowercase().into();
        }
        self
    }

    /// Sets the unit of its values.
    #[must_use]
    pub fn unit(mut self, unit: Unit) -> Self {
        self.unit = unit;
        self
    }

    /// Sets whether lower or higher is better.
    #[must_use]
    pub fn better(mut self, better: Better) -> Self {
        self.better = better;
        self
    }

    /// It is observed only if this is true.
    #[must_use]
    pub fn when(mut self, applies: impl Fn(&Start<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.applies = Arc::new(applies);
        self
    }

    /// Its value for a run is the largest of all trials. By default it is the mean over trials.
    #[must_use]
    pub fn largest_trial(mut self) -> Self {
        self.largest_trial = true;
        self
    }

    /// Sets the heading of its column on a page.
    #[must_use]
    pub fn heading(self, heading: impl Into<Cow<'static, str>>) -> Self {
        self.with_column(|column| column.heading = heading.into())
    }

    /// A page shows its column at first.
    #[must_use]
    pub fn main(self) -> Self {
        self.with_column(|column| column.main = true)
    }

    /// Sets the name of its column in `summary.csv`.
    #[must_use]
    pub fn column_called(self, name: &'static str) -> Self {
        self.with_column(|column| column.name = Some(name))
    }

    /// Tables show its column right after that of another metric.
    #[must_use]
    pub fn follows(self, other: impl Into<Id>) -> Self {
        self.with_column(|column| column.follows = Some(other.into()))
    }

    /// It replaces another metric: tables show it first only where the other has no values, and in the other's place.
    #[must_use]
    pub fn instead_of(self, other: impl Into<Id>) -> Self {
        let other = other.into();
        self.with_column(|column| column.instead = Some(other)).follows(other)
    }

    /// It is the uncertainty of another metric. Tables show it right after that metric.
    #[must_use]
    pub fn spread(self, spread: Uncertainty) -> Self {
        self.with_column(|column| column.spread = Some(spread)).follows(spread.of)
    }

    /// It is also shown next to the value whose uncertainty it is, after `±`.
    #[must_use]
    pub fn beside(self) -> Self {
        self.with_column(|column| {
            if let Some(spread) = &mut column.spread {
                spread.beside = true;
            }
        })
    }

    /// The table on the terminal shows it under this heading. On a narrow terminal the columns with the lowest worth are
    /// dropped first.
    #[must_use]
    pub fn terminal(self, heading: &'static str, worth: u8) -> Self {
        self.with_column(|column| {
            column.terminal = Some(Terminal::Value { heading, worth, unless_zero: false })
        })
    }

    /// The table on the terminal leaves it out if it is zero in every row.
    #[must_use]
    pub fn unless_zero(self) -> Self {
        self.with_column(|column| {
            if let Some(Terminal::Value { unless_zero, .. }) = &mut column.terminal {
                *unless_zero = true;
            }
        })
    }

    /// It names the rows of the table on the terminal.
    #[must_use]
    pub fn names_rows(self) -> Self {
        self.with_column(|column| column.terminal = Some(Terminal::Row))
    }

    /// It has no column in `summary.csv`.
    #[must_use]
    pub fn without_column(mut self) -> Self {
        self.column = None;
        self
    }

    /// Sets its column in `series.csv`.
    #[must_use]
    pub fn curve(mut self, curve: Curve) -> Self {
        self.curve = Some(curve);
        self
    }

    /// It is the value of a key of the experiment.
    #[must_use]
    pub fn repeats(mut self, key: &'static str) -> Self {
        self.setting = Some(Setting { key, same: true });
        self
    }

    /// It is a result of the value of a key of the experiment.
    #[must_use]
    pub fn answers(mut self, key: &'static str) -> Self {
        self.setting = Some(Setting { key, same: false });
        self
    }

    fn with_column(mut self, change: impl FnOnce(&mut Column)) -> Self {
        if let Some(column) = &mut self.column {
            change(column);
        }
        self
    }
}
