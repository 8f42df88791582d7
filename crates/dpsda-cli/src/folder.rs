//! The folders of runs, as the report reads them.

use std::fs;
use std::io;
use std::path::Path;

use dpsda_web::{RunFolder, Series};
use serde_json::{Map, Value};

use crate::failure::Failure;

/// Reads a folder that `dpsda run` wrote. It gets no name: a report of one run does not depend on where its folder is.
pub(crate) fn read(dir: &Path) -> Result<RunFolder, Failure> {
    let manifest = json(dir, "manifest.json")?;
    let Value::Array(summary) = json(dir, "summary.json")? else {
        return Err(bad(&dir.join("summary.json"), "expected a list of rows"));
    };
    Ok(RunFolder { name: String::new(), manifest, summary, series: series(&dir.join("series.csv"))? })
}

/// A folder that is being written: what [`read`] would find in it.
pub(crate) fn written(
    dir: &Path,
    manifest: Value,
    summary: &[Map<String, Value>],
) -> Result<RunFolder, Failure> {
    let summary = summary.iter().cloned().map(Value::Object).collect();
    Ok(RunFolder { name: String::new(), manifest, summary, series: series(&dir.join("series.csv"))? })
}

/// The text of a file; a device or a pipe might never end.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    fs::read_to_string(path)
}

fn json(dir: &Path, name: &str) -> Result<Value, Failure> {
    let path = dir.join(name);
    let text = text(&path).map_err(|e| bad(&path, &e.to_string()))?;
    serde_json::from_str(&text).map_err(|e| bad(&path, &e.to_string()))
}

fn series(path: &Path) -> Result<Series, Failure> {
    let text = text(path).map_err(|e| bad(path, &e.to_string()))?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns: Vec<String> =
        reader.headers().map_err(|e| bad(path, &e.to_string()))?.iter().map(String::from).collect();
    if columns.len() < 3 || columns[..3] != ["run", "trial", "t"] {
        return Err(bad(path, "expected the columns run, trial, t, ..."));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| bad(path, &e.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |(column, cell): (&String, &str)| match cell {
            "" => Ok(None),
            cell => cell.parse().map(Some).map_err(|_| {
                bad(path, &format!("line {line}, column `{column}`: expected a number or nothing"))
            }),
        };
        rows.push(columns.iter().zip(&record).map(number).collect::<Result<_, _>>()?);
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
    let done = fs::write(&partial, content).and_then(|()| fs::rename(&partial, path));
    if done.is_err() {
        let _ = fs::remove_file(&partial);
    }
    done
}
