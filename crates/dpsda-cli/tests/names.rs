//! One name, one type: no two modules of the workspace define a type of the same name.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Names that may have several definitions, each with its reason.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("Build", "the constructor of a family's members: every family has one, and its module says which"),
    ("Error", "each crate may have its own, as is usual in Rust"),
    ("Result", "goes with the crate's `Error`"),
];

/// The name that a line defines as a type of its module: a struct, enum, union, trait or alias without indentation.
fn defined(line: &str) -> Option<&str> {
    let mut line = line;
    if let Some(rest) = line.strip_prefix("pub") {
        let rest = if rest.starts_with('(') { rest.split_once(')')?.1 } else { rest };
        line = rest.strip_prefix(' ')?;
    }
    line = line.strip_prefix("unsafe ").unwrap_or(line);
    let kinds = ["struct ", "enum ", "union ", "trait ", "type "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

/// Every name with more than one definition, and where they are.
fn doubles<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> BTreeMap<&'a str, Vec<String>> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (file, text) in files {
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(name) = defined(line) {
                places.entry(name).or_default().push(format!("{file}:{number}"));
            }
        }
    }
    places.retain(|_, places| places.len() > 1);
    places
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_two_types_of_the_workspace_share_a_name() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(&crates).unwrap() {
        let source = entry.unwrap().path().join("src");
        if source.is_dir() {
            sources(&source, &mut paths);
        }
    }
    paths.sort();
    assert!(paths.len() > 200, "only {} files found", paths.len());
    let name = |path: &Path| path.strip_prefix(&crates).unwrap().display().to_string();
    let files: Vec<(String, String)> =
        paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect();
    let doubles = doubles(files.iter().map(|(file, text)| (file.as_str(), text.as_str())));
    let wrong: Vec<String> = doubles
        .iter()
        .filter(|(name, _)| EXCEPTIONS.iter().all(|(exception, _)| exception != *name))
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect();
    assert!(wrong.is_empty(), "give each type a name of its own:\n{}", wrong.join("\n"));
}

#[test]
fn the_scanner_finds_doubles_and_only_those() {
    let first =
        "pub struct Table {\n}\nenum Kind<T> {}\npub(super) type Map = ();\n// struct Note;\nstruct Once;\n";
    let second = "pub(in crate::a) trait Table {}\npub enum Kind {}\n    struct Once;\npub fn typed() {}\nimpl Once {}\n";
    let third = "pub unsafe trait Map {}\nstructure!(Note);\npub static Note: u8 = 0;\ntype_name!();\n";
    let found = doubles([("a.rs", first), ("b.rs", second), ("c.rs", third)]);
    let expected: [(&str, &[&str]); 3] =
        [("Kind", &["a.rs:3", "b.rs:2"]), ("Map", &["a.rs:4", "c.rs:1"]), ("Table", &["a.rs:1", "b.rs:1"])];
    let found: Vec<(&str, Vec<&str>)> =
        found.iter().map(|(name, places)| (*name, places.iter().map(String::as_str).collect())).collect();
    assert_eq!(found, expected.map(|(name, places)| (name, places.to_vec())));
}
