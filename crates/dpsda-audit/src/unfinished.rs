//! Why an audit has no result.

use std::fmt;

use dpsda::Error;

/// Why an audit, a game or an attack has no result.
#[derive(Debug, Clone, PartialEq)]
pub enum Unfinished {
    /// The caller stopped it.
    Stopped,
    /// It cannot be played.
    Failed(Error),
}

impl From<Error> for Unfinished {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopped before the end"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Unfinished {}
