//! How metrics are shown: units, directions, and their places in tables and charts.

use std::borrow::Cow;

use super::Id;

/// The unit of a metric.
///
/// ```
/// use dpsda::metric::Unit;
/// assert_eq!((Unit::Share.words(), Unit::Count.words()), ("share, shown in percent", ""));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// No unit.
    None,
    /// A share of one, shown in percent.
    Share,
    /// The unit of `f_t`.
    Cost,
    /// A count.
    Count,
    /// A number of rounds.
    Rounds,
    /// Privacy loss, for the delta of the run.
    Epsilon,
    /// A distance between decisions.
    Distance,
}

impl Unit {
    /// The unit in words, for lists; empty if there is nothing to say.
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

/// Whether lower or higher values are better.
///
/// ```
/// use dpsda::metric::Better;
/// assert_eq!(Better::Lower.words(), "lower is better");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Lower is better.
    Lower,
    /// Higher is better.
    Higher,
    /// Neither: the metric informs only.
    Neither,
}

impl Better {
    /// In words, for lists; empty for [`Better::Neither`].
    pub fn words(self) -> &'static str {
        match self {
            Self::Lower => "lower is better",
            Self::Higher => "higher is better",
            Self::Neither => "",
        }
    }
}

/// A column of `summary.csv`, and how tables show it.
///
/// ```
/// use dpsda::metric::all;
/// let column = |name| all().named(name).and_then(|metric| metric.column.as_ref());
/// let violation = column("violation").unwrap();
/// assert_eq!((violation.name, &*violation.heading, violation.main), (Some("violation_max"), "violation", false));
/// assert!(column("regret_per_round").is_some_and(|column| column.main && column.name.is_none()));
/// ```
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name in the file, if it differs from the name of the metric.
    pub name: Option<&'static str>,
    /// Its heading in the table of a page.
    pub heading: Cow<'static, str>,
    /// Whether a page shows it at first; other columns appear after a click on "All columns".
    pub main: bool,
    /// How the table on the terminal shows it, if at all.
    pub terminal: Option<Terminal>,
    /// The metric whose column it follows in tables; none if it keeps its place in the family.
    pub follows: Option<Id>,
    /// If it is the uncertainty of another metric: which one.
    pub spread: Option<Uncertainty>,
    /// The metric it replaces. Tables show this column first only where that metric has no values.
    pub instead: Option<Id>,
}

/// A column of the table on the terminal.
///
/// ```
/// use dpsda::metric::{Metric, Terminal};
/// let cost = Metric::mean(|round| round.costs[0]).terminal("cost", 5).unless_zero();
/// let shown = cost.column.and_then(|column| column.terminal);
/// assert_eq!(shown, Some(Terminal::Value { heading: "cost", worth: 5, unless_zero: true }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    /// It names the row, and comes first.
    Row,
    /// It shows a value.
    Value {
        /// Its heading.
        heading: &'static str,
        /// On a narrow terminal the columns with the lowest worth are dropped first.
        worth: u8,
        /// Whether to leave it out if it is zero in every row.
        unless_zero: bool,
    },
}

/// How uncertain another metric is.
///
/// ```
/// use dpsda::metric::{Id, Metric, Uncertainty, fitness};
/// let of = Id::from(&fitness::LISTING);
/// let error = Metric::pooled(|trials| {
///     let values = trials.values(&fitness::LISTING);
///     dpsda::metric::deviation(&values).map(|sd| sd / (values.len() as f64).sqrt())
/// });
/// let column = error.spread(Uncertainty { of, error: true, beside: false }).beside().column.unwrap();
/// assert!(column.follows == Some(of) && column.spread.is_some_and(|spread| spread.beside));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uncertainty {
    /// The other metric.
    pub of: Id,
    /// True: the standard error of a mean. False: the standard deviation over trials.
    pub error: bool,
    /// Whether it is also shown next to the value of the other metric, after `±`.
    pub beside: bool,
}

/// A column of `series.csv`, and how charts show it.
///
/// ```
/// use dpsda::metric::Curve;
/// let share = Curve::new("The share of correct answers so far.").at_least(0.0).at_most(1.0);
/// assert_eq!((share.floor, share.ceiling), (Some(0.0), Some(1.0)));
/// ```
#[derive(Debug, Clone)]
pub struct Curve {
    /// One sentence: the meaning of a point of the curve.
    pub note: &'static str,
    /// No value is below. A band that would go below is cut here.
    pub floor: Option<f64>,
    /// No value is above.
    pub ceiling: Option<f64>,
    /// For a mean over rounds that falls as `1/sqrt(t)`: the name of the sum over rounds. Charts then have a guide line, and a
    /// switch between mean and sum.
    pub total: Option<Total>,
    /// The metric that this one bounds from above. Charts draw the bound together with that metric.
    pub bounds: Option<Id>,
    /// Whether the file has the column only if some run recorded it.
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

    /// The name of the sum over rounds, and one sentence about it.
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

    /// The file has the column only if some run recorded it.
    #[must_use]
    pub fn on_request(mut self) -> Self {
        self.on_request = true;
        self
    }
}

/// The sum over rounds of a metric that is a mean over rounds.
///
/// ```
/// use dpsda::metric::{Curve, Total};
/// let curve = Curve::new("Energy per round so far.").total("Energy", "Energy of all rounds so far.");
/// assert_eq!(curve.total, Some(Total { label: "Energy", note: "Energy of all rounds so far." }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// Its name.
    pub label: &'static str,
    /// One sentence.
    pub note: &'static str,
}

/// A key of the experiment file that a metric is about.
///
/// ```
/// use dpsda::metric::{Setting, all};
/// // The epsilon that was asked for is a key; the metric is the epsilon that the noise guarantees.
/// let metric = all().of_key("privacy.epsilon").unwrap();
/// assert_eq!((metric.name, metric.setting), ("epsilon", Some(Setting { key: "privacy.epsilon", same: false })));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// The dotted key.
    pub key: &'static str,
    /// True: the metric is the value of the key. False: it is a result of that value.
    pub same: bool,
}
