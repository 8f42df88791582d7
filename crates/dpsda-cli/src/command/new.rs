//! `dpsda new`

use std::borrow::Cow;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use dpsda::catalog::find;
use dpsda::cost::COSTS;

use crate::failure::Failure;
use crate::say;

mod keys;

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

/// Files that run as they are. A cost without one gets a file with its keys.
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
    let listing = find(COSTS, "--cost", cost)?;
    let starter = STARTERS.iter().find(|starter| starter.cost == listing.name);
    let tables = starter.map_or(&[][..], |starter| starter.tables);
    let text = starter.map_or_else(|| keys::file(listing).into(), |starter| Cow::Borrowed(starter.text));
    if file == Path::new("-") {
        say::out(for_file(&text, Path::new("FILE")).trim_end())?;
        let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
        if !names.is_empty() {
            let remedy = "give the file a name in place of -, and they are written beside it";
            say::aside(&format!("note: not written: {}, which it reads ({remedy})", names.join(" and ")));
        }
        return Ok(());
    }
    let runs = starter.is_some();
    let tables = tables.iter().map(|(name, content)| (file.with_file_name(name), *content));
    let tables: Vec<_> = tables.collect();
    // A table of the same content may be there already.
    let new: Vec<_> = tables
        .iter()
        .filter(|(path, content)| !std::fs::read(path).is_ok_and(|found| found == content.as_bytes()))
        .collect();
    if let Some((path, _)) = new.iter().find(|(path, _)| path.exists()) {
        return Err(refused(path, &ErrorKind::AlreadyExists.into()));
    }
    write(file, &for_file(&text, file))?;
    let mut said = format!("wrote {}", file.display());
    for (path, content) in new {
        write(path, content)?;
        said += &format!(" and {}", path.display());
    }
    let name = file.display();
    let then = if cost == "external" { "cluster up" } else { "run" };
    said += &match runs {
        true => format!("\ntry: dpsda check {name} && dpsda {then} {name}"),
        false => format!("\nfill in the keys of [problem], then try: dpsda check {name}"),
    };
    Ok(say::out(&said)?)
}

/// If the starter is one of our experiments, its command is changed to run the new file.
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
