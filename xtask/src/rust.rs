//! The checks of the Rust toolchain.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{Done, Outcome, Shell};

/// rustfmt on every file by name: `cargo fmt` does not see modules that `family!` declares.
fn rustfmt(shell: &Shell, check: bool) -> Result<usize, String> {
    component(shell, "rustfmt", shell.has("rustfmt"))?;
    let files: Vec<_> =
        shell.files()?.into_iter().filter(|f| f.extension().is_some_and(|e| e == "rs")).collect();
    let mut rustfmt = shell.program("rustfmt");
    rustfmt.args(["--edition", "2024", "--color", "never"]).args(check.then_some("--check")).args(&files);
    shell.run(&mut rustfmt).map(|_| files.len())
}

/// Every file is as rustfmt would write it.
pub(crate) fn fmt(shell: &Shell) -> Outcome {
    match rustfmt(shell, true) {
        Ok(files) => Ok(Done::Passed(format!("{files} files"))),
        Err(text) => Err(format!("{}\n(`cargo xtask fmt` formats them)", once(&text))),
    }
}

/// Formats every file.
pub(crate) fn write_fmt(shell: &Shell) -> Result<String, String> {
    rustfmt(shell, false).map(|files| format!("{files} files are formatted"))
}

/// rustfmt follows `mod` lines from every file it is given, and so shows the same difference several times.
fn once(text: &str) -> String {
    let mut seen = Vec::new();
    for part in text.split("\nDiff in ") {
        if !seen.contains(&part) {
            seen.push(part);
        }
    }
    seen.join("\nDiff in ")
}

/// clippy, with the workspace's lints.
pub(crate) fn clippy(shell: &Shell) -> Outcome {
    component(
        shell,
        "clippy",
        shell.cargo().args(["clippy", "--version"]).output().is_ok_and(|o| o.status.success()),
    )?;
    let args = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
    shell.run(shell.cargo().args(args))?;
    Ok(Done::Passed("no warnings".to_owned()))
}

/// `cargo test` as every step calls it. Other packages or features would change the features of dependencies, and build them all
/// again.
pub(crate) fn cargo_test(shell: &Shell) -> Command {
    let mut cargo = shell.cargo();
    cargo.args(["test", "--workspace", "--features", "dpsda-cli/browser-tests"]);
    cargo
}

/// The `dpsda` of the workspace in `folder`, as its tests use it.
pub(crate) fn dpsda(shell: &Shell, folder: &Path) -> Result<PathBuf, String> {
    let mut build = cargo_test(shell);
    build.current_dir(folder).env("CARGO_TARGET_DIR", &shell.target).args(["--no-run", "--test", "paper"]);
    shell.run(&mut build)?;
    Ok(shell.target.join("debug").join(format!("dpsda{}", std::env::consts::EXE_SUFFIX)))
}

/// The names of all integration tests: a file, or a folder with a `main.rs`.
pub(crate) fn integration_tests(shell: &Shell) -> Result<Vec<(PathBuf, String)>, String> {
    let name = |file: PathBuf| {
        let mut parts = file.iter();
        let at = parts.position(|part| part == "tests")?;
        let inside: PathBuf = file.iter().skip(at + 1).collect();
        let test = if inside.ends_with("main.rs") { inside.parent()? } else { inside.as_path() };
        let plain = test.components().count() == 1 && file.extension().is_some_and(|e| e == "rs");
        let package: PathBuf = file.iter().take(at).collect();
        let plain = plain && shell.root.join(&package).join("Cargo.toml").is_file(); // not the tests of a module
        plain.then(|| Some((package, test.with_extension("").to_str()?.to_owned()))).flatten()
    };
    let mut all: Vec<_> = shell.files()?.into_iter().filter_map(name).collect();
    all.sort();
    all.dedup();
    Ok(all)
}

/// Tests of several processes or hosts against the clock. They have the machine to themselves.
const TIMED: [&str; 4] = ["cluster", "loss", "own_transport", "transport"];

/// Every test that needs no browser: first all are compiled, then those that do not look at a clock run in two lanes, because neither
/// lane keeps the machine busy by itself, then the others.
pub(crate) fn test(shell: &Shell) -> Outcome {
    let mut names: Vec<String> = integration_tests(shell)?.into_iter().map(|(_, name)| name).collect();
    names.retain(|name| name != "browser");
    names.sort();
    names.dedup();
    if let Some(gone) = TIMED.iter().find(|timed| names.iter().all(|name| name != *timed)) {
        return Err(format!("there is no integration test `{gone}`, but the list of timed tests names it"));
    }
    let (timed, plain): (Vec<_>, Vec<_>) = names.iter().partition(|name| TIMED.contains(&name.as_str()));
    let named = |names: &[&String]| {
        let mut tests = cargo_test(shell);
        tests.arg("--no-fail-fast").args(names.iter().flat_map(|name| ["--test", name]));
        tests
    };
    let units = ["--lib", "--bins", "--examples"];
    let all: Vec<_> = names.iter().collect();
    shell.run(named(&all).args(units).arg("--no-run"))?;
    let (plain, documented) = std::thread::scope(|scope| {
        let documented = scope.spawn(|| shell.run(cargo_test(shell).arg("--doc")));
        (shell.run(named(&plain).args(units)), documented.join())
    });
    let documented =
        documented.unwrap_or_else(|_| Err("the documentation tests ended without a result".into()));
    let texts = [plain, documented, shell.run(&mut named(&timed))];
    let failures: Vec<_> = texts.iter().filter_map(|text| text.as_ref().err()).map(String::as_str).collect();
    if !failures.is_empty() {
        return Err(failures.join("\n"));
    }
    let passed: usize = texts.iter().flatten().map(|text| tests_passed(text)).sum();
    Ok(Done::Passed(format!("{passed} tests")))
}

/// rustdoc, with broken links and the like as errors.
pub(crate) fn doc(shell: &Shell) -> Outcome {
    let mut cargo = shell.cargo();
    shell.run(cargo.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Done::Passed("no warnings".to_owned()))
}

/// How many tests `cargo test` says have passed.
pub(crate) fn tests_passed(text: &str) -> usize {
    let results = text.lines().filter_map(|l| l.trim().strip_prefix("test result: ok. "));
    results.filter_map(|l| l.split(' ').next()?.parse::<usize>().ok()).sum()
}

/// A part of the toolchain that a minimal installation lacks.
fn component(shell: &Shell, name: &str, found: bool) -> Result<(), String> {
    if found {
        return Ok(());
    }
    shell.run(shell.program("rustup").args(["component", "add", name])).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_once() {
        let text = "$ rustfmt\nDiff in a:1:\n-x\nDiff in b:1:\n-x\nDiff in a:1:\n-x\nend";
        assert_eq!(once(text), "$ rustfmt\nDiff in a:1:\n-x\nDiff in b:1:\n-x\nDiff in a:1:\n-x\nend");
        assert_eq!(once(&text.replace("\nend", "")), "$ rustfmt\nDiff in a:1:\n-x\nDiff in b:1:\n-x");
    }

    #[test]
    fn passed_tests_are_summed_over_all_binaries() {
        let text =
            "test a ... ok\n\ntest result: ok. 3 passed; 0 failed\ntest result: ok. 12 passed; 0 failed;\n";
        assert_eq!(tests_passed(text), 15);
    }
}
