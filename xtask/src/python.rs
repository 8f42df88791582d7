//! Compares our privacy accounting with other packages.

use std::path::PathBuf;

use crate::shell::{Done, Outcome, Shell};

/// The packages that the fixtures of `crates/dpsda/tests/accounting` were made with, and what decides their last digits.
const PACKAGES: [&str; 5] =
    ["dp-accounting==0.6.0", "opendp==0.16.0", "numpy==2.4.6", "scipy==1.17.1", "mpmath==1.4.1"];

/// Makes the fixtures again in an environment of their own and compares (a minute the first time, then ten seconds).
pub(crate) fn check(shell: &Shell) -> Outcome {
    let python = match environment(shell)? {
        Ok(python) => python,
        Err(why) => return Ok(Done::Skipped(why)),
    };
    let mut check = shell.program(&python);
    check.arg("crates/dpsda/tests/accounting/check.py").env("PYTHONDONTWRITEBYTECODE", "1");
    let text = shell.run(&mut check)?;
    Ok(Done::Passed(text.lines().collect::<Vec<_>>().join("; ")))
}

/// The interpreter of `target/venv`, with the packages in it; or why there is none.
pub(crate) fn environment(shell: &Shell) -> Result<Result<PathBuf, String>, String> {
    let place = shell.target.join("venv");
    let python = place.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let wanted = PACKAGES.join("\n");
    let stamp = place.join("packages.txt"); // written last: what is installed here
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) && answers(shell, &python) {
        return Ok(Ok(python));
    }
    if !venv(shell) {
        if !shell.is_root() || !shell.has("apt-get") {
            let why =
                "python3 with venv is missing, and only root can install it (apt-get install python3-venv)";
            return Ok(Err(why.to_owned()));
        }
        println!("   installing python3-venv");
        shell.apt_install(&["python3-venv"])?;
    }
    println!("   installing {} into {}", PACKAGES.join(", "), place.display());
    shell.run(shell.program("python3").args(["-m", "venv", "--clear"]).arg(&place))?;
    let mut pip = shell.program(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES);
    if let Err(text) = shell.run(&mut pip) {
        return Ok(Err(format!("{text}\n   the packages could not be installed")));
    }
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(Ok(python))
}

/// Whether there is a Python that can make environments. Debian's has the module `venv` but not what it needs.
fn venv(shell: &Shell) -> bool {
    let mut python = shell.program("python3");
    python.args(["-c", "import venv, ensurepip"]).output().is_ok_and(|o| o.status.success())
}

fn answers(shell: &Shell, python: &PathBuf) -> bool {
    shell.program(python).arg("--version").output().is_ok_and(|o| o.status.success())
}
