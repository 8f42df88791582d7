//! An experiment as it is read: its cells, and the data that they name.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use dpsda::Error;
use dpsda::rng::Seed;
use dpsda_config::{Resolver as _, RunConfig, Split, sweep};

use crate::files::Files;
use crate::{Draw, Source};

/// The cells of an experiment, checked, with their data at hand.
pub struct Prepared {
    /// The cells of the sweep.
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

    /// The same for hosts: a budget may end before the run does, and data may come while it lasts.
    pub fn hosted(text: &str, overrides: &[String], base: &Path) -> Result<Self, Error> {
        Self::read(text, overrides, Files::new(base).metered())
    }

    /// The same for the experiment of a signed manifest, which without rules has the first ones for ever.
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

    /// T of a cell.
    pub fn rounds(&self, cell: usize) -> u64 {
        self.cells[cell].split.rounds
    }

    /// The data of a cell.
    pub fn source(&self, cell: usize) -> &dyn Source {
        &*self.sources[self.cells[cell].problem.handle]
    }

    /// The samples of a trial.
    pub fn draw(&self, cell: usize, trial: u32) -> Draw {
        let RunConfig { seed, problem, split, .. } = &self.cells[cell];
        let Split { train, test, .. } = *split;
        self.source(cell).draw(Seed { seed: *seed, trial }, train, test, problem.shuffle)
    }
}
