//! An experiment after reading: its runs, and the data that they name.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use dpsda::Error;
use dpsda::rng::Seed;
use dpsda_config::{Resolver as _, RunConfig, Split, sweep};

use crate::files::Files;
use crate::{Draw, Source};

/// The runs of an experiment, checked, with their data.
pub struct Prepared {
    /// The runs of the sweep.
    pub cells: Vec<RunConfig>,
    /// The whole configuration as text, with its rules.
    pub config: String,
    sources: Vec<Arc<dyn Source>>,
}

impl Prepared {
    /// Reads an experiment; files it names are looked for in `base` first. `overrides` are `key=value`.
    pub fn load(text: &str, overrides: &[String], base: &Path) -> Result<Self, Error> {
        let prepared = Self::read(text, overrides, Files::new(base))?;
        for cell in 0..prepared.cells.len() {
            prepared.source(cell).ready()?;
        }
        Ok(prepared)
    }

    /// The same for hosts: the budget may end before the run, and data may arrive during the run.
    pub fn hosted(text: &str, overrides: &[String], base: &Path) -> Result<Self, Error> {
        Self::read(text, overrides, Files::new(base).metered())
    }

    /// The same for the experiment of a signed manifest. One that states no rules has the first ones, for ever.
    pub fn signed(text: &str, base: &Path) -> Result<Self, Error> {
        Self::read(text, &[], Files::new(base).metered().signed())
    }

    fn read(text: &str, overrides: &[String], files: Files) -> Result<Self, Error> {
        let mut table = sweep::parse(text, overrides)?;
        let cells = sweep::cells(&table, &files)?;
        let rules = cells.first().map_or(files.unstated(), |cell| cell.rules);
        let sources = files.into_sources();
        for cell in &cells {
            if cell.problem.loss.classifies() {
                sources[cell.problem.handle].labels()?;
            }
        }
        rules.state(&mut table);
        let config = if overrides.is_empty() { rules.stated(text)? } else { table.to_string() };
        Ok(Self { cells, config, sources })
    }

    /// The keys that are swept, in order.
    pub fn swept(&self) -> Vec<&str> {
        let keys = self.cells.iter().flat_map(|cell| &cell.settings).map(|(key, _)| key.as_str());
        keys.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The number of rounds of a run.
    pub fn rounds(&self, cell: usize) -> u64 {
        self.cells[cell].split.rounds
    }

    /// The data of a run.
    pub fn source(&self, cell: usize) -> &dyn Source {
        &*self.sources[self.cells[cell].problem.handle]
    }

    /// The samples of one trial of a run.
    pub fn draw(&self, cell: usize, trial: u32) -> Draw {
        let RunConfig { seed, problem, split, .. } = &self.cells[cell];
        let Split { train, test, .. } = *split;
        self.source(cell).draw(Seed { seed: *seed, trial }, train, test, problem.shuffle)
    }
}
