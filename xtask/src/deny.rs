//! `cargo deny`, installed here when it is not there.

use std::path::PathBuf;
use std::time::Duration;

use crate::shell::{Done, Outcome, Shell};

/// The version that deny.toml is written for.
const VERSION: &str = "0.20.2";

/// Bans, licences and sources always; advisories when their database can be fetched.
pub(crate) fn check(shell: &Shell) -> Outcome {
    let deny = tool(shell)?;
    shell.run(shell.program(&deny).args(["check", "bans", "licenses", "sources"]))?;
    match shell.run_within(shell.program(&deny).args(["fetch", "db"]), Duration::from_secs(120)) {
        Err(_) => Ok(Done::Passed(
            "bans, licences, sources; NOT the advisories: their database could not be fetched".to_owned(),
        )),
        Ok(_) => {
            shell.run(shell.program(&deny).args(["check", "--disable-fetch", "advisories"]))?;
            Ok(Done::Passed("bans, licences, sources, advisories".to_owned()))
        }
    }
}

/// The program itself: one of ours, or one on the path, or a new one (some minutes, once).
fn tool(shell: &Shell) -> Result<PathBuf, String> {
    let tools = shell.target.join("tools");
    let own = tools.join("bin").join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    for found in [own.clone(), PathBuf::from("cargo-deny")] {
        let version = shell.program(&found).arg("--version").output().map(|o| o.stdout).unwrap_or_default();
        if fits(&String::from_utf8_lossy(&version)) {
            return Ok(found);
        }
    }
    println!("   installing cargo-deny {VERSION} into {} (some minutes, once)", tools.display());
    let build = tools.join("build");
    let mut install = shell.cargo();
    install.args(["install", "--locked", "--force", &format!("cargo-deny@{VERSION}"), "--root"]).arg(&tools);
    install.arg("--target-dir").arg(&build);
    // It runs for a second and compiles for minutes: optimise little.
    for (key, value) in [("OPT_LEVEL", "0"), ("LTO", "off"), ("CODEGEN_UNITS", "16"), ("DEBUG", "0")] {
        install.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
    }
    shell.run(&mut install)?;
    std::fs::remove_dir_all(&build).map_err(|e| format!("{}: {e}", build.display()))?;
    Ok(own)
}

/// Whether this is the version we want, but for its last number.
fn fits(version: &str) -> bool {
    let minor =
        |v: &str| v.trim().trim_start_matches("cargo-deny ").rsplit_once('.').map(|(v, _)| v.to_owned());
    minor(version).is_some() && minor(version) == minor(VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_version_that_reads_our_file_is_used() {
        assert!(fits("cargo-deny 0.20.9\n"));
        assert!(!fits("cargo-deny 0.14.2\n"));
        assert!(!fits(""));
    }
}
