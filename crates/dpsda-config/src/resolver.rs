//! The files and data that an experiment names but does not contain.

use std::cell::RefCell;
use std::collections::BTreeMap;

use dpsda::cost::NumberTable;
use dpsda::{Error, Keys};

use crate::rules::Rules;

/// Provides the files and data that an experiment names.
pub trait Resolver {
    /// The text of a file named in the experiment.
    fn read(&self, path: &str) -> Result<String, Error>;

    /// The table of numbers in a CSV file named in the experiment.
    fn table(&self, path: &str) -> Result<ResolvedTable, Error> {
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

/// A table that is read.
#[derive(Debug, Clone)]
pub struct ResolvedTable {
    /// Its numbers.
    pub numbers: NumberTable,
    /// SHA-256 of the file, in hex.
    pub sha256: String,
}

/// The tables that one run reads, with their hashes.
pub(crate) struct RunTables<'a> {
    resolver: &'a dyn Resolver,
    read: RefCell<BTreeMap<String, String>>,
}

impl<'a> RunTables<'a> {
    pub(crate) fn new(resolver: &'a dyn Resolver) -> Self {
        Self { resolver, read: RefCell::default() }
    }

    pub(crate) fn read(&self, path: &str) -> Result<NumberTable, Error> {
        let ResolvedTable { numbers, sha256 } = self.resolver.table(path)?;
        self.read.borrow_mut().insert(path.to_owned(), sha256);
        Ok(numbers)
    }

    /// SHA-256 by path.
    pub(crate) fn hashes(&self) -> BTreeMap<String, String> {
        self.read.borrow().clone()
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
