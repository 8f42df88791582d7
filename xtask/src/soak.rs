//! What takes minutes to find: the auditor at full length.

use crate::rust::tests_passed;
use crate::shell::Shell;

/// The long audits, in release.
pub(crate) fn run(shell: &Shell) -> Result<String, String> {
    let args = ["test", "--release", "-p", "dpsda-audit", "--features", "soak", "--test", "planted", "soak_"];
    let text = shell.run(shell.cargo().args(args))?;
    match tests_passed(&text) {
        0 => Err(format!("no test ran\n{text}")),
        passed => Ok(format!("{passed} long audits passed")),
    }
}
