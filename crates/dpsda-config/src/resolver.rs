//! The files and data that an experiment names but does not contain.

use dpsda::cost::NumberTable;
use dpsda::{Error, Keys};

use crate::rules::Rules;

/// Provides the files and data that an experiment names.
pub trait Resolver {
    /// The text of a file named in the experiment.
    fn read(&self, path: &str) -> Result<String, Error>;

    /// The table of numbers in a CSV file named in the experiment.
    fn table(&self, path: &str) -> Result<NumberTable, Error> {
        Err(Error::data(path, "cannot be read: there are no files here"))
    }

    /// Prepares the data of `[problem]`, and reads the keys that belong to them.
    fn data(&self, name: &str, problem: &Keys<'_>) -> Result<ResolvedData, Error>;

    /// Whether every release first checks the remaining budget. If so, a run may start even if its budget ends before its rounds.
    fn metered(&self) -> bool {
        false
    }

    /// The rules of a file that states none.
    fn unstated(&self) -> Rules {
        Rules::NEWEST
    }
}

/// Data that are prepared.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedData {
    /// How many features they have.
    pub dim: usize,
    /// How many samples; `None`: as many as asked for.
    pub samples: Option<usize>,
    /// The resolver's handle of them.
    pub handle: usize,
}
