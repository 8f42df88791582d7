//! `cargo deny`, installed if it is missing.

use std::time::Duration;

use crate::shell::{Done, Outcome, Shell};
use crate::tool::Tool;

/// What deny.toml is written for.
const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };

/// Bans, licences and sources always; advisories when their database can be fetched.
pub(crate) fn check(shell: &Shell) -> Outcome {
    let deny = DENY.path(shell)?;
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
