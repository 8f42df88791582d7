//! How metrics are shown: units, directions, and their places in tables and charts.

use std::borrow::Cow;

use super::Id;

/// What a number is a number of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Nothing that needs a word.
    None,
    /// A share of one, shown in percent.
    Share,
    /// What `f_t` is measured in.
    Cost,
    /// How many.
    Count,
    /// Rounds.
    Rounds,
    /// Privacy loss at the delta of the run.
    Epsilon,
    /// A distance between decisions.
    Distance,
}

impl Unit {
    /// In words, for lists; empty where there is nothing to say.
    pub fn words(self) -> &'static str {
        match self {
            Self::None | Self::Count => "",
            Self::Share => "share, shown in percent",
            Self::Cost => "cost",
            Self::Rounds => "rounds",
            Self::Epsilon => "epsilon",
            Self::Distance => "distance",
        }
    }
}

/// Which way is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// It tells, and does not judge.
    Neither,
}

impl Better {
    /// In words, for lists; empty where neither is.
    pub fn words(self) -> &'static str {
        match self {
            Self::Lower => "lower is better",
            Self::Higher => "higher is better",
            Self::Neither => "",
        }
    }
}

/// A column of `summary.csv`, and how tables show it.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name in the file, where that is not the name of the metric.
    pub name: Option<&'static str>,
    /// What stands over it in the table of a page.
    pub heading: Cow<'static, str>,
    /// Whether a page shows it at once; the others wait behind "All columns".
    pub main: bool,
    /// How the table on the terminal shows it, if it does.
    pub terminal: Option<Terminal>,
    /// The metric that tables show it after; without one, its own place in the family.
    pub follows: Option<Id>,
    /// What it is the spread of, if it is one.
    pub spread: Option<Uncertainty>,
}

/// A column of the table on the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    /// It names the row, and stands first.
    Row,
    /// It has a value.
    Value {
        /// What stands over it.
        heading: &'static str,
        /// Where the terminal is narrow, the columns with the least worth go first.
        worth: u8,
        /// Whether it is left out where it is zero in every row.
        unless_zero: bool,
    },
}

/// How uncertain another metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uncertainty {
    /// The other metric.
    pub of: Id,
    /// Whether it is the standard error of a mean; else it is the standard deviation over trials.
    pub error: bool,
    /// Whether it also stands behind the value of the other, after `±`.
    pub beside: bool,
}

/// A column of `series.csv`, and how charts show it.
#[derive(Debug, Clone)]
pub struct Curve {
    /// One sentence: what a point of it is.
    pub note: &'static str,
    /// No value is below; a band that would be is cut there.
    pub floor: Option<f64>,
    /// No value is above.
    pub ceiling: Option<f64>,
    /// For a mean over rounds that falls as `1/sqrt(t)`: what the sum over rounds is called. Charts then have a guide, and a
    /// switch from the mean to the sum.
    pub total: Option<Total>,
    /// The metric that this one bounds from above: it is drawn beside that one, not by itself.
    pub bounds: Option<Id>,
    /// Whether the file has the column only where some run recorded it.
    pub on_request: bool,
}

impl Curve {
    /// A curve with this note.
    pub fn new(note: &'static str) -> Self {
        Self { note, floor: None, ceiling: None, total: None, bounds: None, on_request: false }
    }

    /// No value is below.
    #[must_use]
    pub fn at_least(mut self, floor: f64) -> Self {
        self.floor = Some(floor);
        self
    }

    /// No value is above.
    #[must_use]
    pub fn at_most(mut self, ceiling: f64) -> Self {
        self.ceiling = Some(ceiling);
        self
    }

    /// What the sum over rounds is called, and one sentence about it.
    #[must_use]
    pub fn total(mut self, label: &'static str, note: &'static str) -> Self {
        self.total = Some(Total { label, note });
        self
    }

    /// It bounds another metric from above.
    #[must_use]
    pub fn bounds(mut self, other: impl Into<Id>) -> Self {
        self.bounds = Some(other.into());
        self
    }

    /// The file has the column only where some run recorded it.
    #[must_use]
    pub fn on_request(mut self) -> Self {
        self.on_request = true;
        self
    }
}

/// The sum over rounds of a metric that is a mean over rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// What it is called.
    pub label: &'static str,
    /// One sentence.
    pub note: &'static str,
}

/// A key of the experiment file that a metric is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// The dotted key.
    pub key: &'static str,
    /// Whether the metric is the very value of the key; else it is what that value led to.
    pub same: bool,
}
