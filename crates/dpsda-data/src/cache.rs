//! The user's cache folder, where data that are not bundled are kept.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use dpsda::Error;

/// The variable that names another folder.
pub const VARIABLE: &str = "DPSDA_CACHE";

/// The folder `$DPSDA_CACHE`, if that is set and not empty. Otherwise `dpsda` in the platform's cache folder: `$XDG_CACHE_HOME`
/// or `~/.cache`, `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows. It need not exist.
pub fn folder() -> Result<PathBuf, Error> {
    folder_or_nothing(choose(|name| env::var_os(name).filter(|value| !value.is_empty()), env::home_dir())?)
}

/// Refuses a file, which would look like a cache in which everything is missing.
fn folder_or_nothing(path: PathBuf) -> Result<PathBuf, Error> {
    match fs::metadata(&path) {
        Ok(found) if !found.is_dir() => {
            let problem =
                format!("is a file, but the cache must be a folder (set {VARIABLE} to another place)");
            Err(Error::data(path.display(), problem))
        }
        _ => Ok(path),
    }
}

fn choose(variable: impl Fn(&str) -> Option<OsString>, home: Option<PathBuf>) -> Result<PathBuf, Error> {
    if let Some(own) = variable(VARIABLE) {
        return Ok(own.into());
    }
    let home = home.filter(|home| home.is_absolute());
    let platform = if cfg!(windows) {
        variable("LOCALAPPDATA").map(PathBuf::from).or(home.map(|h| h.join("AppData").join("Local")))
    } else if cfg!(target_os = "macos") {
        home.map(|h| h.join("Library").join("Caches"))
    } else {
        // The specification of XDG asks to ignore relative paths.
        let xdg = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        xdg.or(home.map(|h| h.join(".cache")))
    };
    let remedy = format!("there is no home folder to keep data in (set {VARIABLE} to a folder)");
    platform.map(|cache| cache.join("dpsda")).ok_or_else(|| Error::data("the cache", remedy))
}

/// Makes the cache `folder` if it does not exist and checks that it can be written, before a download rather than after.
pub fn prepare(folder: &Path) -> Result<(), Error> {
    let refuse = |e: io::Error| {
        let verb = if folder.exists() { "written" } else { "made" };
        let remedy = format!("set {VARIABLE} to a folder that can be written");
        Error::data(folder.display(), format!("the cache cannot be {verb}: {e} ({remedy})"))
    };
    fs::create_dir_all(folder).map_err(refuse)?;
    tempfile::tempfile_in(folder).map(drop).map_err(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_that_cannot_be_made_is_an_error_with_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("not/there/yet");
        assert_eq!(prepare(&deep), Ok(()));
        assert_eq!(fs::read_dir(&deep).unwrap().count(), 0, "trying leaves nothing behind");
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let below = file.join("below");
        let error = prepare(&below).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: the cache cannot be made: ", below.display())), "{error}");
        assert!(error.contains("set DPSDA_CACHE to a folder that can be written"), "{error}");
        let error = folder_or_nothing(file.clone()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: is a file, but", file.display())), "{error}");
        for path in [deep, folder.path().join("nothing")] {
            assert_eq!(folder_or_nothing(path.clone()), Ok(path));
        }
    }

    #[test]
    #[cfg(all(unix, not(target_os = "macos")))]
    fn the_own_variable_comes_first_then_the_platforms_then_the_home_folder() {
        let chosen = |set: &[(&str, &str)], home: Option<&str>| {
            let variable = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(*v));
            choose(variable, home.map(PathBuf::from)).map(|path| path.display().to_string())
        };
        let (own, xdg) = ((VARIABLE, "mine"), ("XDG_CACHE_HOME", "/x"));
        assert_eq!(chosen(&[own, xdg], Some("/h")).unwrap(), "mine");
        assert_eq!(chosen(&[xdg], Some("/h")).unwrap(), "/x/dpsda");
        assert_eq!(chosen(&[("XDG_CACHE_HOME", "x")], Some("/h")).unwrap(), "/h/.cache/dpsda");
        assert_eq!(chosen(&[], Some("/h")).unwrap(), "/h/.cache/dpsda");
        let error = chosen(&[], None).unwrap_err().to_string();
        assert!(error.contains("DPSDA_CACHE"), "{error}");
    }
}
