//! What a file names and does not hold: other files, and data.

use dpsda::{Error, Keys};

use crate::rules::Rules;

/// What reading an experiment needs from outside.
pub trait Resolver {
    /// The text of a file named in the experiment.
    fn read(&self, path: &str) -> Result<String, Error>;

    /// Makes the data of `[problem]` ready, asking for their own keys.
    fn data(&self, name: &str, problem: &Keys<'_>) -> Result<ResolvedData, Error>;

    /// Whether every release asks first what may still be spent, so that a run may begin that will not be able to afford its end.
    fn metered(&self) -> bool {
        false
    }

    /// What a file means that states no rules.
    fn unstated(&self) -> Rules {
        Rules::NEWEST
    }
}

/// Data that are ready.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedData {
    /// How many features they have.
    pub dim: usize,
    /// How many samples; `None`: as many as asked for.
    pub samples: Option<usize>,
    /// What the resolver knows them by.
    pub handle: usize,
}
