//! Numbers by round. A file gives them, or every trial draws them.

use std::sync::Arc;

use super::by_round::ByRound;
use super::{MAX_DIM, TableReader, UsedColumns};
use crate::catalog::Key;
use crate::{Error, Keys};

/// A key of every cost whose numbers may come from a file.
pub(super) const COLUMNS: Key = Key {
    name: "columns",
    about: "the columns of the file to use, in this order; default every column that holds numbers",
};

/// Numbers that a file gives, or that every trial draws.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RoundNumbers<D> {
    Given(Arc<ByRound>),
    /// So many per round, and how they are drawn.
    Drawn(usize, D),
}

impl<D> RoundNumbers<D> {
    pub(super) fn given(numbers: ByRound) -> Self {
        Self::Given(Arc::new(numbers))
    }

    /// The count of numbers per round.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Given(numbers) => numbers.width(),
            Self::Drawn(width, _) => *width,
        }
    }

    /// How many rounds there are; `None`: as many as asked for.
    pub(super) fn rounds(&self) -> Option<u64> {
        match self {
            Self::Given(numbers) => Some(numbers.rounds()),
            Self::Drawn(..) => None,
        }
    }

    /// How many numbers are drawn per round.
    pub(super) fn drawn(&self) -> usize {
        match self {
            Self::Given(_) => 0,
            Self::Drawn(width, _) => *width,
        }
    }

    /// The columns that they were read from.
    pub(super) fn columns(&self) -> Vec<UsedColumns> {
        match self {
            Self::Given(numbers) => numbers.columns(),
            Self::Drawn(..) => Vec::new(),
        }
    }

    /// The numbers of one trial. `draw` appends those of one round, always as many as there are per round.
    pub(super) fn of_trial(&self, rounds: u64, draw: impl Fn(&D, u64, &mut Vec<f64>)) -> Arc<ByRound> {
        match self {
            Self::Given(numbers) => Arc::clone(numbers),
            Self::Drawn(width, how) => {
                Arc::new(ByRound::draw(*width, rounds, |t, numbers| draw(how, t, numbers)))
            }
        }
    }
}

/// The keys of such numbers: `path` and `columns`, or those of drawn numbers.
pub(super) struct FileOrDrawn {
    /// What the numbers are.
    pub(super) role: &'static str,
    /// The key that says how many numbers per round are drawn.
    pub(super) count: &'static str,
    /// The other keys of drawn numbers.
    pub(super) drawn: &'static [&'static str],
    /// What a number must be.
    pub(super) what: &'static str,
    /// Whether a number is so.
    pub(super) fits: fn(f64) -> bool,
}

/// What those keys ask for.
pub(super) enum Asked {
    File(ByRound),
    /// So many numbers per round.
    Drawn(usize),
}

impl FileOrDrawn {
    pub(super) fn read(&self, keys: &Keys<'_>, read: &TableReader<'_>) -> Result<Asked, Error> {
        let Self { role, count, drawn, what, fits } = *self;
        let (path, number, columns) = (keys.path("path")?, keys.count(count, 1)?, keys.strs(COLUMNS.name)?);
        if let Some(path) = path {
            let other = [count].into_iter().chain(drawn.iter().copied()).find(|key| keys.holds(key));
            if let Some(key) = other {
                return Err(keys.bad(key, format!("the {role} come from `path` (keep one of the two keys)")));
            }
            let table = read(path)?;
            let columns = match table.listed(keys, COLUMNS.name)? {
                Some(none) if none.is_empty() => {
                    return Err(keys.bad(COLUMNS.name, "name at least one column, or leave the key out"));
                }
                Some(columns) => columns,
                None => table.numeric(),
            };
            return ByRound::read(&table, &columns, role, what, fits).map(Asked::File);
        }
        if columns.is_some() {
            return Err(keys.bad(COLUMNS.name, "they are columns of a file (name the file as `path`)"));
        }
        let number = number.map(|number| usize::try_from(number).unwrap_or(usize::MAX)).ok_or_else(|| {
            keys.bad(count, format!("how many {count}? (or name a CSV file of {role} as `path`)"))
        })?;
        Ok(Asked::Drawn(number))
    }
}

/// Refuses no numbers per round, and more than fit into memory. `key` says how many.
pub(super) fn check_count(key: &str, count: usize) -> Result<(), Error> {
    if (1..=MAX_DIM).contains(&count) {
        return Ok(());
    }
    Err(Error::value(key, count, format!("expected at least 1 and at most {MAX_DIM}")))
}
