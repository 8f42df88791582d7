//! A metric as a value.

use std::borrow::Cow;
use std::sync::Arc;

use super::computed::Computed;
use super::{Better, Column, Curve, Id, Setting, Start, Terminal, Uncertainty, Unit};

/// What is measured, how it is called, and where it is shown.
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
    /// What it is called in files and lists.
    pub name: &'static str,
    /// One sentence.
    pub note: &'static str,
    /// What it is called in titles.
    pub label: Cow<'static, str>,
    /// What its numbers are numbers of.
    pub unit: Unit,
    /// Which way is good.
    pub better: Better,
    /// Its column in `summary.csv`, if it has one.
    pub column: Option<Column>,
    /// Its column in `series.csv`, if it has one.
    pub curve: Option<Curve>,
    /// The key of the experiment that it is about, if there is one.
    pub setting: Option<Setting>,
    pub(super) computed: Computed,
    pub(super) applies: Arc<dyn Fn(&Start<'_>) -> bool + Send + Sync>,
    pub(super) largest_trial: bool,
}

impl Metric {
    pub(super) fn new(computed: Computed) -> Self {
        let heading = Cow::Borrowed("");
        let column = Column { name: None, heading, main: false, terminal: None, follows: None, spread: None };
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

/// What it is called and where it is shown.
impl Metric {
    /// Its name in files and lists, and one sentence about it. Members of the family have those of their row.
    #[must_use]
    pub fn named(mut self, name: &'static str, note: &'static str) -> Self {
        (self.name, self.note) = (name, note);
        self
    }

    /// What it is called in titles, and unless told otherwise over its column.
    #[must_use]
    pub fn label(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.label = label.into();
        if let Some(column) = self.column.as_mut().filter(|column| column.heading.is_empty()) {
            column.heading = self.label.to_lowercase().into();
        }
        self
    }

    /// What its numbers are numbers of.
    #[must_use]
    pub fn unit(mut self, unit: Unit) -> Self {
        self.unit = unit;
        self
    }

    /// Which way is good.
    #[must_use]
    pub fn better(mut self, better: Better) -> Self {
        self.better = better;
        self
    }

    /// Only where this holds is it observed.
    #[must_use]
    pub fn when(mut self, applies: impl Fn(&Start<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.applies = Arc::new(applies);
        self
    }

    /// Of a run it is the value of the trial with the largest; else the mean over trials.
    #[must_use]
    pub fn largest_trial(mut self) -> Self {
        self.largest_trial = true;
        self
    }

    /// What stands over its column on a page.
    #[must_use]
    pub fn heading(self, heading: impl Into<Cow<'static, str>>) -> Self {
        self.with_column(|column| column.heading = heading.into())
    }

    /// A page shows its column at once.
    #[must_use]
    pub fn main(self) -> Self {
        self.with_column(|column| column.main = true)
    }

    /// What its column in `summary.csv` is called.
    #[must_use]
    pub fn column_called(self, name: &'static str) -> Self {
        self.with_column(|column| column.name = Some(name))
    }

    /// Tables show its column after that of another metric.
    #[must_use]
    pub fn follows(self, other: impl Into<Id>) -> Self {
        self.with_column(|column| column.follows = Some(other.into()))
    }

    /// It says how uncertain another metric is, and tables show it after that.
    #[must_use]
    pub fn spread(self, spread: Uncertainty) -> Self {
        self.with_column(|column| column.spread = Some(spread)).follows(spread.of)
    }

    /// It also stands behind the value it is the spread of.
    #[must_use]
    pub fn beside(self) -> Self {
        self.with_column(|column| {
            if let Some(spread) = &mut column.spread {
                spread.beside = true;
            }
        })
    }

    /// The table on the terminal has it, under this heading. Where there is little room, the columns of least worth go first.
    #[must_use]
    pub fn terminal(self, heading: &'static str, worth: u8) -> Self {
        self.with_column(|column| {
            column.terminal = Some(Terminal::Value { heading, worth, unless_zero: false })
        })
    }

    /// The table on the terminal leaves it out where it is zero in every row.
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

    /// Its column in `series.csv`.
    #[must_use]
    pub fn curve(mut self, curve: Curve) -> Self {
        self.curve = Some(curve);
        self
    }

    /// The very value of a key of the experiment.
    #[must_use]
    pub fn repeats(mut self, key: &'static str) -> Self {
        self.setting = Some(Setting { key, same: true });
        self
    }

    /// What the value of a key of the experiment led to.
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
