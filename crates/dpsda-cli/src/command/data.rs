//! `dpsda data`: the data sets that experiments name.

mod download;
mod fetch;
mod package;
#[cfg(test)]
mod server;
mod verify;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use dpsda_data::cache;
use dpsda_data::cached::{CachedFile, State};
use dpsda_data::holding::{HOLDINGS, Holding, Place};
use serde_json::json;

use crate::args::DataCommand;
use crate::failure::Failure;
use crate::say;

pub(crate) fn data(command: &DataCommand) -> Result<(), Failure> {
    let folder = cache::folder()?;
    match command {
        DataCommand::List { json } => list(&folder, *json),
        DataCommand::Get { name, from, quiet } => get(Holding::find(name)?, &folder, from.as_deref(), *quiet),
        DataCommand::Verify { name, from } => verify::verify(name.as_deref(), &folder, from.as_deref()),
    }
}

fn word(holding: &Holding, folder: &Path) -> &'static str {
    match (&holding.place, holding.state(folder)) {
        (Place::Bundled, _) => "bundled",
        (Place::Cached(_), State::There) => "cached",
        (Place::Cached(_), State::Damaged(_)) => "damaged",
        (Place::Cached(_), State::Missing) => "missing",
    }
}

/// Checks that `--from` exists.
fn there(from: Option<&Path>) -> Result<(), Failure> {
    let Some(from) = from else { return Ok(()) };
    fs::metadata(from).map(drop).map_err(|e| {
        let problem = format!("cannot be read: {e} (give a file or folder that exists)");
        dpsda::Error::value("--from", format!("{from:?}"), problem).into()
    })
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
        let Place::Cached(kept) = h.place else { continue };
        let get = format!("dpsda data get {} ({})", h.name, megabytes_of(kept.first().bytes));
        let _ = match kept.state(folder) {
            State::There => Ok(()),
            State::Missing => writeln!(text, "{:<width$}fetch it: {get}", ""),
            State::Damaged(problem) => {
                let place = kept.path(folder);
                writeln!(text, "{:<width$}{}: {problem}; fetch it again: {get}", "", place.display())
            }
        };
    }
    let _ = write!(text, "\nThe cache is {} (set {} to use another one).", folder.display(), cache::VARIABLE);
    Ok(say::out(&text)?)
}

fn get(holding: &Holding, folder: &Path, from: Option<&Path>, quiet: bool) -> Result<(), Failure> {
    let Place::Cached(kept) = holding.place else {
        let more = if from.is_some() { "; `dpsda data verify` compares it with the originals" } else { "" };
        return Ok(say::out(&format!("{} is bundled: there is nothing to fetch{more}", holding.name))?);
    };
    there(from)?;
    kept.room(folder)?;
    match kept.state(folder) {
        State::Missing => {}
        State::Damaged(problem) => not_as_published(kept, folder, &problem),
        State::There => match kept.load(folder) {
            Ok(_) if from.is_none() => {
                let place = kept.path(folder);
                return Ok(say::out(&format!("{} is already in {}", kept.name, place.display()))?);
            }
            Ok(_) => {}
            Err(_) => not_as_published(kept, folder, "the right size, but a wrong SHA-256"),
        },
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

/// Says that a file in the cache will be replaced.
fn not_as_published(kept: &CachedFile, folder: &Path, problem: &str) {
    let place = kept.path(folder);
    say::aside(&format!("{}: not as published ({problem}), so it will be replaced", place.display()));
}

fn megabytes_of(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1e6)
}

/// Fetches a data set of an experiment if it is not bundled and not in the cache, and says so.
pub(crate) fn ensure(name: &str, quiet: bool) -> Result<(), Failure> {
    let Some(Place::Cached(kept)) = HOLDINGS.iter().find(|h| h.name == name).map(|h| &h.place) else {
        return Ok(());
    };
    let folder = cache::folder()?;
    match kept.state(&folder) {
        State::There => return Ok(()),
        State::Missing => {}
        State::Damaged(problem) => {
            kept.room(&folder)?;
            not_as_published(kept, &folder, &problem);
        }
    }
    fetch::fetch(kept, &folder, quiet).map(drop)
}
