//! `dpsda new`

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use crate::failure::Failure;
use crate::say;

/// A file to start from.
struct Starter {
    cost: &'static str,
    text: &'static str,
    /// The tables that it reads: name and content.
    tables: &'static [(&'static str, &'static str)],
}

macro_rules! experiment {
    ($name:literal) => {
        include_str!(concat!("../../../../experiments/", $name))
    };
}

const STARTERS: [Starter; 6] = [
    Starter { cost: "samples", text: include_str!("../../assets/starter.toml"), tables: &[] },
    Starter {
        cost: "tracking",
        text: experiment!("costs/tracking.toml"),
        tables: &[("tracking.csv", experiment!("costs/tracking.csv"))],
    },
    Starter {
        cost: "routing",
        text: experiment!("applications/routing.toml"),
        tables: &[
            ("sioux-falls-links.csv", experiment!("applications/sioux-falls-links.csv")),
            ("sioux-falls-trips.csv", experiment!("applications/sioux-falls-trips.csv")),
        ],
    },
    Starter { cost: "portfolio", text: experiment!("costs/portfolio.toml"), tables: &[] },
    Starter { cost: "expert", text: experiment!("costs/expert.toml"), tables: &[] },
    Starter { cost: "external", text: include_str!("../../assets/external.toml"), tables: &[] },
];

pub(crate) fn new(file: &Path, cost: &str) -> Result<(), Failure> {
    let starter = STARTERS.iter().find(|starter| starter.cost == cost).ok_or_else(|| {
        let known = STARTERS.iter().map(|starter| starter.cost.to_owned()).collect();
        dpsda::Error::UnknownName { key: "--cost".into(), found: cost.to_owned(), known }
    })?;
    if file == Path::new("-") {
        return Ok(say::out(starter.text.trim_end())?);
    }
    let tables = starter.tables.iter().map(|(name, content)| (file.with_file_name(name), *content));
    let tables: Vec<_> = tables.collect();
    // A table of the same content may be there already.
    let new: Vec<_> = tables
        .iter()
        .filter(|(path, content)| !std::fs::read(path).is_ok_and(|found| found == content.as_bytes()))
        .collect();
    if let Some((path, _)) = new.iter().find(|(path, _)| path.exists()) {
        return Err(refused(path, &ErrorKind::AlreadyExists.into()));
    }
    write(file, &for_file(starter.text, file))?;
    let mut said = format!("wrote {}", file.display());
    for (path, content) in new {
        write(path, content)?;
        said += &format!(" and {}", path.display());
    }
    let then = if cost == "external" { "cluster up" } else { "run" };
    Ok(say::out(&format!("{said}\ntry: dpsda check {0} && dpsda {then} {0}", file.display()))?)
}

/// A starter that is one of our experiments says how to run the new file instead.
fn for_file(text: &str, file: &Path) -> String {
    let line = |line: &str| match line.strip_prefix("#   dpsda run experiments/") {
        Some(ours) => {
            let time = ours.split_once(' ').map_or("", |(_, time)| time.trim_start());
            format!("#   dpsda run {}    {time}\n", file.display())
        }
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Writes a file that does not exist yet.
fn write(path: &Path, content: &str) -> Result<(), Failure> {
    let new = OpenOptions::new().write(true).create_new(true).open(path);
    new.and_then(|mut new| new.write_all(content.as_bytes())).map_err(|error| refused(path, &error))
}

fn refused(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    Failure::Input(match error.kind() {
        ErrorKind::AlreadyExists => {
            format!("{path} exists and is not overwritten (give another name or folder)")
        }
        _ => format!("{path} cannot be written: {error}"),
    })
}
