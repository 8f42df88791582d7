//! The user's cache folder, where data that are not bundled are kept.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use dpsda::Error;

/// The variable that names another folder.
pub const VARIABLE: &str = "DPSDA_CACHE";

/// `$DPSDA_CACHE`, or `dpsda` in the folder that the platform has for such things: `$XDG_CACHE_HOME` or `~/.cache`,
/// `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows. It need not exist.
pub fn folder() -> Result<PathBuf, Error> {
    choose(|name| env::var_os(name).filter(|value| !value.is_empty()), env::home_dir())
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

#[cfg(test)]
#[cfg(all(unix, not(target_os = "macos")))]
mod tests {
    use super::*;

    #[test]
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
