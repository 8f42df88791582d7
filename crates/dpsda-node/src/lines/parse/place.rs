//! Places in a line, for errors.

use std::fmt;

use super::LineKey;

/// Where the reader is, so that an error can say what is expected there.
#[derive(Clone, Copy)]
pub(super) enum Spot {
    Line,
    Round,
    Samples,
    Sample(usize),
    Number(usize, usize),
    Labels,
    Label(usize),
    /// A gradient or its public part, by its key.
    Vector(&'static str),
    /// One of its numbers.
    Entry(&'static str, usize),
    Values,
    Value(usize),
}

impl Spot {
    /// The value of a key.
    pub(super) fn of(key: LineKey) -> Self {
        match key {
            LineKey::Round => Self::Round,
            LineKey::Samples => Self::Samples,
            LineKey::Labels => Self::Labels,
            LineKey::Gradient | LineKey::Public => Self::Vector(key.name()),
            LineKey::Values => Self::Values,
        }
    }

    /// What is expected there.
    pub(super) fn wants(self) -> &'static str {
        match self {
            Self::Line => "an object such as {\"x\": [[0.5, 1]], \"y\": [1]} or {\"t\": 0, \"gradient\": [0.5, 1]}",
            Self::Round => "a whole number from 0 on, the round",
            Self::Samples => "a list of samples",
            Self::Sample(_) | Self::Vector(_) => "a list of numbers, or an object such as {\"3\": 0.5}",
            Self::Number(..) | Self::Label(_) | Self::Entry(..) | Self::Value(_) => "a finite number",
            Self::Labels => "a list of labels",
            Self::Values => "a list of two numbers",
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line => f.write_str("the line"),
            Self::Round => f.write_str("\"t\""),
            Self::Samples => f.write_str("\"x\""),
            Self::Sample(k) => write!(f, "sample {k}"),
            Self::Number(k, j) => write!(f, "sample {k}, number {j}"),
            Self::Labels => f.write_str("\"y\""),
            Self::Label(k) => write!(f, "label {k}"),
            Self::Vector(key) => write!(f, "\"{key}\""),
            Self::Entry(key, j) => write!(f, "\"{key}\", number {j}"),
            Self::Values => f.write_str("\"values\""),
            Self::Value(k) => write!(f, "\"values\", number {k}"),
        }
    }
}
