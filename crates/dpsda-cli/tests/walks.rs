//! The walks of docs/design.md lead somewhere: every hop is a function of a file.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::path::Path;

#[test]
fn every_hop_of_a_walk_exists_and_no_walk_doubles_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let design = std::fs::read_to_string(root.join("docs/design.md")).unwrap();
    let section = design.split("## Two walks").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut walks: Vec<Vec<(String, String)>> = Vec::new();
    for line in section.lines() {
        let Some((number, rest)) = line.split_once(". `") else { continue };
        let (hop, about) = rest.split_once("`, ").unwrap_or_else(|| panic!("{line}: what happens there?"));
        let (file, function) =
            hop.split_once(": ").unwrap_or_else(|| panic!("{line}: a file and a function"));
        assert!(!about.is_empty());
        if number == "1" {
            walks.push(Vec::new());
        }
        let walk = walks.last_mut().unwrap();
        assert_eq!(number, (walk.len() + 1).to_string(), "{line}");
        let text =
            std::fs::read_to_string(root.join("crates").join(file)).unwrap_or_else(|e| panic!("{line}: {e}"));
        let named = |line: &str| line.contains(&format!("fn {function}("));
        let generic = |line: &str| line.contains(&format!("fn {function}<"));
        assert!(text.lines().any(|line| named(line) || generic(line)), "{file} has no function {function}");
        walk.push((file.to_owned(), function.to_owned()));
    }
    assert_eq!(walks.len(), 2);
    for walk in walks {
        assert!(walk.len() >= 8);
        for (i, hop) in walk.iter().enumerate() {
            assert!(!walk[..i].contains(hop), "{hop:?} twice");
        }
    }
}
