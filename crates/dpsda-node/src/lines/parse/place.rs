//! Places in a line, for errors.

use std::fmt;

use super::super::RowName;
use super::LineKey;

/// Where the reader is, so that an error can say what is expected there.
#[derive(Clone, Copy)]
pub(super) enum Spot {
    Line,
    Round,
    Estimate,
    Samples,
    Labels,
    Label(usize),
    /// A sample, a gradient, its public part, or two values.
    Row(RowName),
    /// One of its numbers.
    Number(RowName, usize),
}

impl Spot {
    /// The value of a key.
    pub(super) fn of(key: LineKey) -> Self {
        match key {
            LineKey::Round => Self::Round,
            LineKey::Samples => Self::Samples,
            LineKey::Labels => Self::Labels,
            LineKey::Estimate => Self::Estimate,
            LineKey::Gradient | LineKey::Public | LineKey::Values => Self::Row(RowName::Key(key.name())),
        }
    }

    /// What is expected there.
    pub(super) fn wants(self) -> &'static str {
        match self {
            Self::Line => {
                "an object such as {\"x\": [[0.5, 1]], \"y\": [1]} or {\"t\": 0, \"gradient\": [0.5, 1]}"
            }
            Self::Round => "a whole number from 0 on, the round",
            Self::Samples => "a list of samples",
            Self::Estimate => "the 16 hexadecimal digits that /estimate shows as \"at\"",
            Self::Row(RowName::Key("values")) => "a list of two numbers",
            Self::Row(_) => "a list of numbers, or an object such as {\"3\": 0.5}",
            Self::Number(..) | Self::Label(_) => "a finite number",
            Self::Labels => "a list of labels",
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line => f.write_str("the line"),
            Self::Round => f.write_str("\"t\""),
            Self::Samples => f.write_str("\"x\""),
            Self::Estimate => f.write_str("\"at\""),
            Self::Labels => f.write_str("\"y\""),
            Self::Label(k) => write!(f, "label {k}"),
            Self::Row(row) => write!(f, "{row}"),
            Self::Number(row, j) => write!(f, "{row}, number {j}"),
        }
    }
}
