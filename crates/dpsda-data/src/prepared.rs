//! An experiment after reading: its runs, and the data that they name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use dpsda::Error;
use dpsda::cost::samples::SampleCosts;
use dpsda::cost::{CostSequence, external};
use dpsda::loss::Loss;
use dpsda_config::{ProblemCosts, Resolver as _, RunConfig, Split, sweep};

use crate::files::Files;
use crate::{Draw, Source};

/// The runs of an experiment, checked, with their data.
pub struct Prepared {
    /// The runs of the sweep.
    pub runs: Vec<RunConfig>,
    /// The whole configuration as text, with its rules.
    pub config: String,
    /// The tables of numbers that costs were made from: path and SHA-256.
    pub tables: BTreeMap<String, String>,
    sources: Vec<Arc<dyn Source>>,
}

impl Prepared {
    /// Reads an experiment; files it names are looked for in `base` first. `overrides` are `key=value`.
    pub fn load(text: &str, overrides: &[String], base: &Path) -> Result<Self, Error> {
        let prepared = Self::read(text, overrides, Files::new(base))?;
        for run in 0..prepared.runs.len() {
            prepared.ready(run)?;
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
        let runs = sweep::runs(&table, &files)?;
        let rules = runs.first().map_or(files.unstated(), |run| run.rules);
        let (sources, tables) = files.into_parts();
        for own in runs.iter().filter_map(|run| run.problem.samples()) {
            if own.loss.classifies() {
                sources[own.resolved.handle].labels()?;
            }
        }
        rules.state(&mut table);
        let config = if overrides.is_empty() { rules.stated(text)? } else { table.to_string() };
        Ok(Self { runs, config, tables, sources })
    }

    /// The keys that are swept, in order.
    pub fn swept(&self) -> Vec<&str> {
        let keys = self.runs.iter().flat_map(|run| &run.settings).map(|(key, _)| key.as_str());
        keys.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The number of rounds of a run.
    pub fn rounds(&self, run: usize) -> u64 {
        self.runs[run].split.rounds
    }

    /// Whether the costs of a run are available before it.
    pub fn ready(&self, run: usize) -> Result<(), Error> {
        match &self.runs[run].problem.costs {
            ProblemCosts::Samples(own) => self.sources[own.resolved.handle].ready(),
            ProblemCosts::Model(_, model) => model.ready(),
        }
    }

    /// Whether they are available to node `me`, which needs its own data and public data only.
    pub fn ready_for(&self, run: usize, me: usize) -> Result<(), Error> {
        let RunConfig { problem, spec, .. } = &self.runs[run];
        match &problem.costs {
            ProblemCosts::Samples(own) => self.sources[own.resolved.handle].ready(),
            ProblemCosts::Model(_, model) => model.ready_for(spec.blocks().range(me)),
        }
    }

    /// Whether the costs of a run arrive while nodes run.
    pub fn arrives(&self, run: usize) -> bool {
        match &self.runs[run].problem.costs {
            ProblemCosts::Samples(own) => own.data == "stream",
            ProblemCosts::Model(name, _) => *name == external::LISTING.name,
        }
    }

    /// The data of a run, if its costs are losses of samples.
    pub fn source(&self, run: usize) -> Option<&dyn Source> {
        self.runs[run].problem.samples().map(|own| &*self.sources[own.resolved.handle])
    }

    /// The samples of one trial of a run, if its costs are losses of samples.
    pub fn draw(&self, run: usize, trial: u32) -> Option<Draw> {
        let RunConfig { problem, split, .. } = &self.runs[run];
        let Split { train, test, .. } = *split;
        let (own, source) = (problem.samples()?, self.source(run)?);
        Some(source.draw(self.runs[run].seed_of(trial), train, test, own.shuffle))
    }

    /// The costs of one trial of a run.
    pub fn costs(&self, run: usize, trial: u32) -> Arc<dyn CostSequence> {
        let RunConfig { problem, split, .. } = &self.runs[run];
        let seed = self.runs[run].seed_of(trial);
        match &problem.costs {
            ProblemCosts::Model(_, model) => model.draw(seed, split.rounds),
            ProblemCosts::Samples(own) => {
                let Split { train, test, .. } = *split;
                let draw = self.sources[own.resolved.handle].draw(seed, train, test, own.shuffle);
                Arc::new(draw.costs(Arc::clone(&own.loss), own.batch))
            }
        }
    }
}

impl Draw {
    /// The costs that these samples give, `batch` samples per round.
    pub fn costs(self, loss: Arc<dyn Loss>, batch: usize) -> SampleCosts {
        let Self { samples, train, test } = self;
        SampleCosts::of_rows(samples, train, test, loss, batch)
    }
}
