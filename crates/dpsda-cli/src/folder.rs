//! Run folders as the report reads them.

use std::fs;
use std::io;
use std::path::Path;

use dpsda_web::{Run, Series};
use serde_json::Value;

use crate::failure::Failure;

/// Reads what `dpsda run` wrote.
pub(crate) fn read(dir: &Path) -> Result<Run, Failure> {
    let name =
        dir.file_name().map_or_else(|| dir.display().to_string(), |n| n.to_string_lossy().into_owned());
    let manifest = json(dir, "manifest.json")?;
    let Value::Array(summary) = json(dir, "summary.json")? else {
        return Err(bad(&dir.join("summary.json"), "expected a list of rows"));
    };
    Ok(Run { name, manifest, summary, series: series(&dir.join("series.csv"))? })
}

fn text(dir: &Path, name: &str) -> Result<String, Failure> {
    let path = dir.join(name);
    fs::read_to_string(&path).map_err(|e| {
        Failure::Input(format!("{}: {e} (give a folder that `dpsda run` wrote)", path.display()))
    })
}

fn json(dir: &Path, name: &str) -> Result<Value, Failure> {
    serde_json::from_str(&text(dir, name)?).map_err(|e| bad(&dir.join(name), &e.to_string()))
}

fn series(path: &Path) -> Result<Series, Failure> {
    let mut reader = csv::Reader::from_path(path).map_err(|e| bad(path, &e.to_string()))?;
    let columns = reader.headers().map_err(|e| bad(path, &e.to_string()))?.iter().map(String::from).collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| bad(path, &e.to_string()))?;
        rows.push(record.iter().map(|cell| cell.parse().ok()).collect());
    }
    Ok(Series { columns, rows })
}

fn bad(path: &Path, problem: &str) -> Failure {
    Failure::Input(format!("{}: {problem} (give a folder that `dpsda run` wrote)", path.display()))
}

/// Writes a file in one step: the old content or the new, never half of it.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    fs::write(&partial, content)?;
    fs::rename(&partial, path)
}
