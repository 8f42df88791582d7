//! The report in Debian's Chromium.

use crate::rust::{cargo_test, tests_passed};
use crate::shell::{Done, Outcome, Shell};

/// Installs the browser where that is allowed, and opens the report with it.
pub(crate) fn test(shell: &Shell) -> Outcome {
    if !there(shell) {
        if !shell.is_root() || !shell.has("apt-get") {
            return Ok(Done::Skipped(
                "chromium or chromedriver is missing, and only root can install them (apt-get install chromium \
                 chromium-driver)"
                    .to_owned(),
            ));
        }
        println!("   installing chromium and chromium-driver");
        shell.apt_install(&["chromium", "chromium-driver"])?;
    }
    let text = shell.run(cargo_test(shell).args(["--test", "browser"]))?;
    Ok(Done::Passed(format!("{} tests", tests_passed(&text))))
}

fn there(shell: &Shell) -> bool {
    shell.has("chromium") && shell.has("chromedriver")
}
