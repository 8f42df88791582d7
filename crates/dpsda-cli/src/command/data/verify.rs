//! `dpsda data verify`: compares one data set, or all, with what was published.

use std::path::Path;

use dpsda::Error;
use dpsda_data::cached::State;
use dpsda_data::holding::{HOLDINGS, Holding};

use super::{there, word};
use crate::failure::Failure;
use crate::say;

/// Prints one line per data set. A data set that is not as published gives exit code 1. A missing one is only listed, but is an
/// error if it was asked for by name.
pub(super) fn verify(name: Option<&str>, folder: &Path, from: Option<&Path>) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    let asked: Vec<&Holding> = match name {
        Some(name) => vec![Holding::find(name)?],
        None => HOLDINGS.iter().collect(),
    };
    there(from)?;
    for holding in asked {
        let Holding { name: it, sha256, .. } = holding;
        if from.is_none() && holding.state(folder) == State::Missing {
            if name.is_some() {
                let place = folder.display();
                let remedy =
                    format!("dpsda data get {it} (or, if you have it, dpsda data get {it} --from PATH)");
                return Err(Failure::Input(format!("{it} is not in the cache {place}; fetch it: {remedy}")));
            }
            say::out(&format!("{it}: missing (dpsda data get {it})"))?;
            continue;
        }
        let place = from.map_or_else(|| word(holding, folder).to_owned(), |from| from.display().to_string());
        match holding.verify(folder, from) {
            Ok(()) => say::out(&format!("{it}: {place}, as published, SHA-256 {sha256}"))?,
            Err(Error::Data { place, problem }) => {
                wrong.push(*it);
                say::out(&format!("{it}: not as published: {place}: {problem}"))?;
            }
            Err(nothing_to_compare) => return Err(nothing_to_compare.into()),
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::Io(format!("not as published: {}", wrong.join(", "))))
}
