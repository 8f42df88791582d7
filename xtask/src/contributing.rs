//! CONTRIBUTING.md says that a new part is one file and one word. This check applies its examples to a copy of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use crate::rust::{cargo_test, dpsda, integration_tests, tests_passed};
use crate::shell::{Done, Outcome, Shell};

mod example;

use example::Example;

/// The families that the guide must have an example for.
const FAMILIES: [&str; 8] =
    ["COSTS", "LOSSES", "SETS", "TOPOLOGIES", "WEIGHTS", "MECHANISMS", "ALGORITHMS", "METRICS"];

/// Where the guide's experiment is written in the copy.
const EXPERIMENT: &str = "contributing.toml";

/// Writes each example's file into a copy, adds its word, and runs everything that reads the tables.
pub(crate) fn check(shell: &Shell) -> Outcome {
    let guide = shell.root.join("CONTRIBUTING.md");
    let guide = fs::read_to_string(&guide).map_err(told(&guide))?;
    let examples = example::read(&guide)?;
    let members = || examples.iter().filter_map(|e| e.member.as_ref());
    if let Some(table) = FAMILIES.iter().find(|t| members().all(|m| m.table != **t)) {
        return Err(format!("CONTRIBUTING.md has no example for `{table}`"));
    }
    if examples.iter().all(|e| e.member.is_some()) {
        return Err("CONTRIBUTING.md has no example of a transport".into());
    }
    let mut files = edited(shell, &examples)?;
    files.push((PathBuf::from(EXPERIMENT), example::experiment(&guide)?));
    let before = shell.run(shell.program(dpsda(shell, &shell.root)?).arg("list"))?;
    let copy = shell.target.join("xtask/contributing");
    mirror(shell, &copy, &files)?;
    let outcome = judge(shell, &copy, &examples, &before);
    // `target/debug/dpsda` may now be the copy's: put ours back, if it can be built.
    let _ = dpsda(shell, &shell.root);
    outcome
}

/// Formatter, lints, laws, `dpsda list` and a run of the guide's experiment.
fn judge(shell: &Shell, copy: &Path, examples: &[Example], before: &str) -> Outcome {
    let mut rustfmt = shell.program("rustfmt");
    rustfmt.args(["--edition", "2024", "--color", "never", "--check"]).args(examples.iter().map(|e| &e.path));
    shell.run(rustfmt.current_dir(copy))?;
    let mut clippy = shell.cargo();
    clippy.current_dir(copy).env("CARGO_TARGET_DIR", &shell.target);
    shell.run(clippy.args(["clippy", "-p", "dpsda", "--lib", "--", "-D", "warnings"]))?;
    let laws = laws(shell)?;
    let mut tests = cargo_test(shell);
    tests.current_dir(copy).env("CARGO_TARGET_DIR", &shell.target).arg("--no-fail-fast");
    let kept = shell.run(tests.args(laws.iter().flat_map(|law| ["--test", law])))?;
    for test in examples.iter().filter_map(Example::as_test) {
        let mut own = cargo_test(shell);
        own.current_dir(copy).env("CARGO_TARGET_DIR", &shell.target);
        shell.run(own.args(["--test", test]))?;
    }
    let theirs = dpsda(shell, copy)?;
    let run = |args: &[&str]| shell.run(shell.program(&theirs).current_dir(copy).args(args));
    let list = run(&["list"])?;
    let count = |list: &str, name: &str| list.split_whitespace().filter(|word| *word == name).count();
    let shown = |name: &str| count(&list, name) > count(before, name);
    for e in examples {
        if let Some(member) = e.member.as_ref().filter(|member| !shown(&member.name)) {
            return Err(format!("`dpsda list` does not show `{}` of {}:\n{list}", member.name, e.path));
        }
    }
    for cost in examples.iter().filter_map(|e| e.member.as_ref()).filter(|member| member.table == "COSTS") {
        starts(&run(&["new", "-", "--cost", &cost.name])?, &cost.name)?;
    }
    let runs = copy.join("runs");
    if runs.exists() {
        fs::remove_dir_all(&runs).map_err(told(&runs))?; // a folder that exists is never written over
    }
    run(&["run", EXPERIMENT, "--out", "runs/contributing", "--quiet"])?;
    let (parts, laws) = (examples.len(), tests_passed(&kept));
    Ok(Done::Passed(format!("{parts} new parts are listed, keep {laws} laws and run together")))
}

/// A cost that is one file and one word has a file to start from, too: it names the cost and its keys.
fn starts(file: &str, cost: &str) -> Result<(), String> {
    let keys = file.lines().filter(|line| line.starts_with("# ") && line.contains(" =   # ")).count();
    if file.contains(&format!("\ncost = \"{cost}\"\n")) && keys > 0 {
        return Ok(());
    }
    Err(format!("`dpsda new - --cost {cost}` gives no file with the keys of this cost:\n{file}"))
}

/// The tests that hold every member of a family to its laws, by name.
fn laws(shell: &Shell) -> Result<Vec<String>, String> {
    let names = integration_tests(shell)?.into_iter();
    let names = names.filter(|(package, _)| package.ends_with("crates/dpsda")).map(|(_, name)| name);
    let laws: Vec<_> = names.filter(|n| n.starts_with("laws_") || n == "network").collect();
    for needed in ["laws_loss", "laws_set", "network"] {
        if !laws.iter().any(|l| l == needed) {
            return Err(format!(
                "the test `{needed}` of crates/dpsda is gone, but the laws of this family need it"
            ));
        }
    }
    Ok(laws)
}

/// The files that differ from ours: each example, each table with its new word, and the version.
fn edited(shell: &Shell, examples: &[Example]) -> Result<Vec<(PathBuf, String)>, String> {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let read = |path: &str| fs::read_to_string(shell.root.join(path)).map_err(|e| format!("{path}: {e}"));
    for e in examples {
        if let Some(member) = &e.member {
            let path = PathBuf::from(&member.table_file);
            if !files.iter().any(|f| f.0 == path) {
                files.push((path.clone(), read(&member.table_file)?));
            }
            for file in files.iter_mut().filter(|f| f.0 == path) {
                file.1 = member.add_word(&file.1)?;
            }
        }
        if shell.root.join(&e.path).exists() {
            return Err(format!("CONTRIBUTING.md: {} exists already; an example must be new", e.path));
        }
        files.push((PathBuf::from(&e.path), e.code.clone()));
    }
    // Cargo tells crates in one target directory apart by name and version, not by folder: with another version the
    // copy cannot be taken for us, and our dependencies serve both.
    let manifest = read("Cargo.toml")?;
    let ours =
        manifest.lines().find(|l| l.starts_with("version = \"")).ok_or("Cargo.toml has no version line")?;
    let theirs = format!("{}-contributing\"", ours.trim_end_matches('"'));
    files.push((PathBuf::from("Cargo.toml"), manifest.replacen(ours, &theirs, 1)));
    Ok(files)
}

fn told(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |e| format!("{}: {e}", path.display())
}

/// Makes `copy` hold our files with `edited` on top and no other sources, touching nothing that is already right.
fn mirror(shell: &Shell, copy: &Path, edited: &[(PathBuf, String)]) -> Result<(), String> {
    let mut files = shell.files()?;
    // Cargo reads the `.cargo` above a copy too. Twice its flags would be other flags, and build all dependencies again.
    files.retain(|file| !(copy.starts_with(&shell.root) && file.starts_with(".cargo")));
    let stays = |path: &Path| files.iter().chain(edited.iter().map(|f| &f.0)).any(|f| copy.join(f) == path);
    let mut folders = vec![copy.to_owned()];
    while let Some(folder) = folders.pop().filter(|f| f.is_dir()) {
        for entry in fs::read_dir(&folder).map_err(told(&folder))? {
            let path = entry.map_err(told(&folder))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if !stays(&path) {
                fs::remove_file(&path).map_err(told(&path))?;
            }
        }
    }
    let mut all: Vec<_> = edited.iter().map(|(name, text)| (name, text.clone().into_bytes())).collect();
    for name in files.iter().filter(|f| edited.iter().all(|e| e.0 != **f)) {
        all.push((name, fs::read(shell.root.join(name)).map_err(told(name))?));
    }
    for (name, bytes) in all {
        let path = copy.join(name);
        if fs::read(&path).is_ok_and(|old| old == bytes) {
            continue;
        }
        let folder = path.parent().unwrap_or(copy);
        fs::create_dir_all(folder).map_err(told(folder))?;
        fs::write(&path, bytes).map_err(told(&path))?;
    }
    Ok(())
}
