//! The whole programs in `examples/` run, say what they should, and fit on a screen.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Every example, and words that it prints.
const EXAMPLES: [(&str, &str); 5] = [
    ("first_run", "spent: eps 1 per round, all links and decisions so far (delta 1e-5)"),
    ("own_cost", "spent: eps 2 per round"),
    ("own_graph", "islands: it cannot get older than"),
    ("own_algorithm", "alone: cost"),
    ("one_node", "the budget allows no further release"),
];

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name).with_extension("rs")
}

/// The folder of the built examples, all fresh. They are built as for all tests: other features would build the library again.
fn built() -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--workspace", "--features", "dpsda-cli/browser-tests"]);
    cargo.args(EXAMPLES.iter().flat_map(|(name, _)| ["--example", name]));
    let build = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    let here = std::env::current_exe().unwrap(); // debug/deps/examples-1234
    here.ancestors().nth(2).unwrap().join("examples")
}

#[test]
fn every_example_runs_and_says_what_it_should() {
    let folder = built();
    for (name, words) in EXAMPLES {
        let run = Command::new(folder.join(name)).output().unwrap();
        let (said, trouble) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{name}: {trouble}");
        assert!(said.contains(words), "{name}: {said}");
    }
}

#[test]
fn no_example_is_forgotten_and_each_fits_on_a_screen() {
    let mut found = 0;
    for entry in std::fs::read_dir(source("x").parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(EXAMPLES.iter().any(|(known, _)| *known == name), "{name} is not run");
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 75, "{name} has {lines} lines");
        found += 1;
    }
    assert_eq!(found, EXAMPLES.len());
}

/// Seven nodes of DPSDA-R with a promise.
#[test]
fn a_first_run_takes_at_most_fifteen_lines() {
    let text = std::fs::read_to_string(source("first_run")).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with("fn main")).take_while(|line| *line != "}");
    assert!(lines.count() < 15);
}
