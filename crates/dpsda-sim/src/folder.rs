//! The folder of a run. It appears complete or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use dpsda::metric::Metric;
use serde_json::{Map, Value, json};

use crate::check::{Check, json_number};
use crate::summary;
use crate::{Experiment, Outcome};

/// A folder being filled beside its final place.
pub struct Staging {
    at: PathBuf,
    target: PathBuf,
    replace: bool,
}

impl Staging {
    /// Starts a folder that will be `target`. An existing one must be empty, unless `replace`.
    pub fn new(target: &Path, replace: bool) -> io::Result<Self> {
        if target.exists() && !target.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is a file, not a folder"));
        }
        if target.exists() && !replace && fs::read_dir(target)?.next().is_some() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it exists and is not empty"));
        }
        let name = target.file_name().ok_or_else(|| io::Error::other("it has no name"))?.to_string_lossy();
        let parent = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let at = parent.join(format!(".{name}.{}.partial", std::process::id()));
        fs::create_dir_all(&at)?;
        Ok(Self { at, target: target.to_owned(), replace })
    }

    /// Where it is being filled.
    pub fn path(&self) -> &Path {
        &self.at
    }

    /// Adds a file.
    pub fn add(&self, name: &str, content: impl AsRef<[u8]>) -> io::Result<()> {
        fs::write(self.at.join(name), content)
    }

    /// The same, but no other folder is replaced.
    pub fn spare(mut self) -> Self {
        self.replace = false;
        self
    }

    /// Moves the folder to its final place and returns that place. Without `replace`, a folder that has appeared there in the
    /// meantime is left alone, and this one gets the first free number after its name.
    pub fn commit(self) -> io::Result<PathBuf> {
        if self.replace && self.target.exists() {
            let old = self.at.with_extension("replaced");
            fs::rename(&self.target, &old)?;
            if let Err(error) = fs::rename(&self.at, &self.target) {
                fs::rename(&old, &self.target)?;
                return Err(error);
            }
            fs::remove_dir_all(&old)?;
            return Ok(self.target.clone());
        }
        let mut place = self.target.clone();
        for k in 2.. {
            // A rename replaces an empty folder and fails on any other: no results are lost.
            match fs::rename(&self.at, &place) {
                Ok(()) => break,
                Err(_) if place.exists() => place = numbered(&self.target, k),
                Err(error) => return Err(error),
            }
        }
        Ok(place)
    }
}

/// `DIR-2`, `DIR-3`, ...
pub fn numbered(target: &Path, k: u64) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(format!("-{k}"));
    PathBuf::from(name)
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.at.exists() {
            let _ = fs::remove_dir_all(&self.at); // nothing half-written stays behind
        }
    }
}

/// What a folder holds.
pub struct Written {
    /// `manifest.json`
    pub manifest: Value,
    /// The rows of `summary.json`.
    pub summary: Vec<Map<String, Value>>,
}

/// Writes everything but the report: `manifest.json`, `summary.csv`, `summary.json`, `series.csv`, `decisions.csv`.
pub fn write(to: &Staging, experiment: &Experiment, outcome: &Outcome, check: &Check) -> io::Result<Written> {
    let (manifest, summary) = (manifest(experiment, outcome, check), summary::rows(experiment, outcome));
    to.add("manifest.json", pretty(&manifest))?;
    to.add("summary.json", pretty(&Value::Array(summary.iter().cloned().map(Value::Object).collect())))?;
    to.add("summary.csv", table(&summary)?)?;
    to.add("series.csv", series(experiment, outcome)?)?;
    if experiment.runs.iter().any(|run| run.record_decisions) {
        to.add("decisions.csv", decisions(outcome)?)?;
    }
    Ok(Written { manifest, summary })
}

/// The rows of `summary.json`.
pub fn summary_rows(experiment: &Experiment, outcome: &Outcome) -> Vec<Map<String, Value>> {
    summary::rows(experiment, outcome)
}

fn manifest(experiment: &Experiment, outcome: &Outcome, check: &Check) -> Value {
    let first = experiment.runs.first();
    let warnings = [check.warnings(), outcome.warnings(experiment)].concat();
    json!({
        "dpsda": env!("CARGO_PKG_VERSION"),
        "rules": first.map(|c| c.rules.number()),
        "title": first.map(|c| &c.title),
        "seed": common(experiment.runs.iter().map(|c| c.seed)),
        "trials": common(experiment.runs.iter().map(|c| u64::from(c.trials))),
        "rounds": common((0..experiment.runs.len()).map(|c| experiment.rounds(c))),
        "interrupted": outcome.interrupted,
        "warnings": warnings,
        "config": experiment.config,
        "data": check.data_json(experiment),
        "runs": check.runs_json(experiment),
        "networks": check.networks_json(),
    })
}

/// The value that all runs share, if they do.
fn common(mut values: impl Iterator<Item = u64>) -> Option<u64> {
    let first = values.next()?;
    values.all(|v| v == first).then_some(first)
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn table(rows: &[Map<String, Value>]) -> io::Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(Vec::new());
    if let Some(first) = rows.first() {
        out.write_record(first.keys())?;
    }
    for row in rows {
        out.write_record(row.values().map(text))?;
    }
    out.into_inner().map_err(|e| io::Error::other(e.to_string()))
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}

/// A number in CSV: the shortest text that reads back exactly.
fn cell(x: f64) -> String {
    text(&json_number(x))
}

fn series(experiment: &Experiment, outcome: &Outcome) -> io::Result<Vec<u8>> {
    let runs = || outcome.runs.iter().flat_map(|run| run.trials.keys().map(move |trial| (run, *trial)));
    let recorded = |metric: &Metric| {
        let along = |(run, trial)| outcome.finished(run, trial).and_then(|finished| metric.along(&finished));
        runs().any(|at| along(at).is_some())
    };
    let there = |metric: &&Metric| metric.curve.as_ref().is_some_and(|c| !c.on_request) || recorded(metric);
    let columns: Vec<&Metric> = experiment.metrics.series().into_iter().filter(there).collect();
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(["run", "trial", "t"].into_iter().chain(columns.iter().map(|metric| metric.name)))?;
    for (run, trial) in runs() {
        let Some(finished) = outcome.finished(run, trial) else { continue };
        let mut curves: Vec<_> =
            columns.iter().map(|metric| metric.along(&finished).unwrap_or_default().into_iter()).collect();
        for t in finished.curves.rounds() {
            let names = [run.index.to_string(), trial.to_string(), t.to_string()];
            let values = curves.iter_mut().map(|curve| curve.next().flatten().map_or_else(String::new, cell));
            out.write_record(names.into_iter().chain(values))?;
        }
    }
    out.into_inner().map_err(|e| io::Error::other(e.to_string()))
}

fn decisions(outcome: &Outcome) -> io::Result<Vec<u8>> {
    let all = || {
        outcome
            .runs
            .iter()
            .flat_map(|run| run.trials.iter().map(move |(trial, done)| (run.index, trial, done)))
    };
    let dim = all().flat_map(|(_, _, done)| done.trial.decisions.first()).map(Vec::len).max().unwrap_or(0);
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(
        ["run", "trial", "t"].map(String::from).into_iter().chain((0..dim).map(|k| format!("x{k}"))),
    )?;
    for (run, trial, done) in all() {
        for (t, x) in done.trial.decisions.iter().enumerate() {
            let names = [run.to_string(), trial.to_string(), t.to_string()];
            let blank = (x.len()..dim).map(|_| String::new());
            out.write_record(names.into_iter().chain(x.iter().map(|x| cell(*x))).chain(blank))?;
        }
    }
    out.into_inner().map_err(|e| io::Error::other(e.to_string()))
}
