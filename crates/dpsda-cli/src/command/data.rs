//! `dpsda data`: the data sets that experiments name.

mod download;
mod fetch;
mod npm;
#[cfg(test)]
mod server;

use std::fmt::Write as _;
use std::path::Path;

use dpsda_sim::data::cache;
use dpsda_sim::data::holding::{HOLDINGS, Holding, Place};
use dpsda_sim::data::kept::State;
use serde_json::json;

use crate::args::DataCommand;
use crate::failure::Failure;
use crate::say;

pub(crate) fn data(command: &DataCommand) -> Result<(), Failure> {
    let folder = cache::folder()?;
    match command {
        DataCommand::List { json } => list(&folder, *json),
        DataCommand::Get { name, from, quiet } => get(Holding::find(name)?, &folder, from.as_deref(), *quiet),
        DataCommand::Verify { name: Some(name), from } => {
            let holding = Holding::find(name)?;
            holding.verify(&folder, from.as_deref())?;
            Ok(say::out(&format!("{}: as published, SHA-256 {}", holding.name, holding.sha256))?)
        }
        DataCommand::Verify { name: None, .. } => verify_all(&folder),
    }
}

fn word(holding: &Holding, folder: &Path) -> &'static str {
    match (&holding.place, holding.state(folder)) {
        (Place::Bundled, _) => "bundled",
        (Place::Kept(_), State::There) => "cached",
        (Place::Kept(_), State::Missing) => "missing",
    }
}

fn list(folder: &Path, as_json: bool) -> Result<(), Failure> {
    if as_json {
        let one = |h: &Holding| {
            json!({
                "name": h.name, "state": word(h, folder), "bytes": h.bytes, "sha256": h.sha256,
                "licence": h.licence, "home": h.home, "cite": h.cite,
            })
        };
        return Ok(say::out(&format!("{:#}", json!(HOLDINGS.iter().map(one).collect::<Vec<_>>())))?);
    }
    let width = HOLDINGS.iter().map(|h| h.name.len()).max().unwrap_or(0) + 2;
    let mut text = String::new();
    for h in HOLDINGS {
        let (state, megabytes) = (word(h, folder), h.bytes as f64 / 1e6);
        let _ =
            writeln!(text, "{:<width$}{state:<9}{megabytes:>6.1} MB  {:<14}{}", h.name, h.licence, h.home);
        let _ = writeln!(text, "{:<width$}{}", "", h.cite);
        if state == "missing" {
            let _ = writeln!(text, "{:<width$}fetch it: dpsda data get {}", "", h.name);
        }
    }
    let _ = write!(text, "\nThe cache is {} (set {} for another).", folder.display(), cache::VARIABLE);
    Ok(say::out(&text)?)
}

fn get(holding: &Holding, folder: &Path, from: Option<&Path>, quiet: bool) -> Result<(), Failure> {
    let Place::Kept(kept) = holding.place else {
        let more = if from.is_some() { "; `dpsda data verify` compares originals with it" } else { "" };
        return Ok(say::out(&format!("{} is bundled, there is nothing to fetch{more}", holding.name))?);
    };
    if from.is_none() && kept.state(folder) == State::There && kept.load(folder).is_ok() {
        return Ok(say::out(&format!("{} is already in {}", kept.name, kept.path(folder).display()))?);
    }
    let place = match from {
        Some(from) => kept.take(from, folder)?,
        None => fetch::fetch(kept, folder, quiet)?,
    };
    let Holding { licence, cite, .. } = holding;
    Ok(say::out(&format!(
        "{} is in {}, SHA-256 {}\nLicence: {licence}. Please cite: {cite}.",
        kept.name,
        place.display(),
        kept.sha256
    ))?)
}

/// Fetches a data set that an experiment names, if it is one that is fetched and it is not there; says so.
pub(crate) fn ensure(name: &str, quiet: bool) -> Result<(), Failure> {
    let folder = cache::folder()?;
    let missing = HOLDINGS.iter().find(|h| h.name == name && h.state(&folder) == State::Missing);
    if let Some((holding, Place::Kept(kept))) = missing.map(|h| (h, &h.place)) {
        let (size, place) = (holding.bytes as f64 / 1e6, kept.path(&folder));
        say::aside(&format!("fetching {name} ({size:.0} MB from {}) into {}", holding.home, place.display()));
        fetch::fetch(kept, &folder, quiet)?;
    }
    Ok(())
}

fn verify_all(folder: &Path) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for holding in HOLDINGS {
        let state = word(holding, folder);
        let line = match state {
            "missing" => format!("{}: missing (dpsda data get {})", holding.name, holding.name),
            _ => match holding.verify(folder, None) {
                Ok(()) => format!("{}: {state}, as published, SHA-256 {}", holding.name, holding.sha256),
                Err(error) => {
                    wrong.push(holding.name);
                    format!("{}: {error}", holding.name)
                }
            },
        };
        say::out(&line)?;
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::Io(format!("not as published: {}", wrong.join(", "))))
}
