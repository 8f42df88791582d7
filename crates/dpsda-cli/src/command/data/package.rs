//! A package, fetched with its ordinary client.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Has `npm` put the package's file into the folder `into`.
pub(super) fn pack(package: &str, into: &Path) -> Result<(), String> {
    pack_with(if cfg!(windows) { "npm.cmd" } else { "npm" }, package, into)
}

fn pack_with(client: &str, package: &str, into: &Path) -> Result<(), String> {
    let mut command = Command::new(client);
    command.args(["pack", package, "--loglevel=error", "--pack-destination"]).arg(into);
    let output = command.stdin(Stdio::null()).stdout(Stdio::null()).output().map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => "npm is not on the PATH".to_owned(),
        _ => format!("npm cannot be started: {e}"),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let line = words.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    Err(format!("`npm pack {package}` failed: {}", line.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_is_not_there_is_named() {
        let error = pack_with("no-such-client-anywhere", "p@1", Path::new(".")).unwrap_err();
        assert_eq!(error, "npm is not on the PATH");
    }

    #[test]
    #[cfg(unix)]
    fn a_client_that_fails_says_why_and_one_that_works_leaves_the_file() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let script = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path.display().to_string()
        };
        let fails = script("fails", "echo; echo 'no such package' >&2; exit 3");
        let error = pack_with(&fails, "p@1", folder.path()).unwrap_err();
        assert_eq!(error, "`npm pack p@1` failed: no such package");
        let works = script("works", "echo \"$2\" > \"$5/p-1.tgz\"");
        pack_with(&works, "p@1", folder.path()).unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("p-1.tgz")).unwrap(), "p@1\n");
    }
}
