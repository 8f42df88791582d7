//! PAPER.md is true: every numbered statement of the paper has a row, and what a row names exists.
//!
//! A row of any table in PAPER.md reads
//!
//! ```text
//! | (12) | what it says | `crates/dpsda/src/learner/gossip.rs` `Gossip::listen` | `crates/dpsda/tests/lemmas.rs` `a_test` |
//! ```
//!
//! - The first cell is one label: `(1)` to `(37)`, `Theorem 1`, `Lemma 2`, ... Each has exactly one row.
//! - The third names items, each as a file and a path in backquotes. The last part of the path is defined in that file
//!   (`fn`, `struct`, `enum`, `trait`, `type`, `const`, `static`, `mod`, `macro_rules!`, or a table of `family!`) and
//!   the parts before it occur there.
//! - The fourth names tests in the same way; each is a function marked `#[test]`.
//! - One file may be followed by several paths, and a cell may have several files.
//! - A third or fourth cell that names nothing says `planned: when or where`, or `none: why not`.

use std::fs;
use std::path::Path;

/// Everything the paper numbers.
fn labels() -> Vec<String> {
    let numbered = [
        ("Definition", 3),
        ("Assumption", 2),
        ("Proposition", 1),
        ("Lemma", 6),
        ("Theorem", 5),
        ("Corollary", 2),
        ("Protocol", 1),
        ("Algorithm", 2),
    ];
    let statements = numbered.into_iter().flat_map(|(kind, n)| (1..=n).map(move |i| format!("{kind} {i}")));
    (1..=37).map(|i| format!("({i})")).chain(statements).collect()
}

/// What is wrong with `paper`; `read` gives the text of a file of the repository.
fn problems(paper: &str, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    let labels = labels();
    let mut seen = Vec::new();
    for line in paper.lines().filter(|l| l.starts_with('|')) {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let label = cells[0];
        let looks_numbered = label.starts_with('(') || label.ends_with(|c: char| c.is_ascii_digit());
        if !labels.iter().any(|l| l == label) {
            if looks_numbered {
                wrong.push(format!("{label}: the paper has nothing of that name"));
            }
            continue; // a heading, or the table of something else
        }
        if seen.contains(&label) {
            wrong.push(format!("{label}: has two rows"));
        }
        seen.push(label);
        let [_, what, items, tests] = cells[..] else {
            wrong.push(format!("{label}: a row has four cells, not {}", cells.len()));
            continue;
        };
        if what.is_empty() {
            wrong.push(format!("{label}: does not say what it says"));
        }
        for (cell, is_test) in [(items, false), (tests, true)] {
            wrong.extend(problems_of_cell(cell, is_test, &read).into_iter().map(|p| format!("{label}: {p}")));
        }
    }
    wrong.extend(labels.iter().filter(|l| !seen.contains(&l.as_str())).map(|l| format!("{l}: has no row")));
    wrong
}

fn problems_of_cell(cell: &str, is_test: bool, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let kind = if is_test { "test" } else { "item" };
    let quoted: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
    if let Some(why) = cell.strip_prefix("planned:").or(cell.strip_prefix("none:")) {
        let fine = why.trim().len() >= 5;
        return if fine { Vec::new() } else { vec![format!("says no reason why there is no {kind}")] };
    }
    if cell.matches('`').count() % 2 == 1 {
        return vec![format!("a backquote is missing in {cell:?}")];
    }
    let (mut wrong, mut file, mut named) = (Vec::new(), None, 0);
    for word in quoted {
        if word.contains('/') {
            match read(word) {
                Some(text) => file = Some((word, text)),
                None => return vec![format!("there is no file {word}")],
            }
        } else {
            named += 1;
            match &file {
                None => wrong.push(format!("{word} comes before any file")),
                Some((_, text)) if is_test && has_test(text, word) => {}
                Some((_, text)) if !is_test && defines(text, word) => {}
                Some((path, _)) => wrong.push(format!("{path} has no {kind} {word}")),
            }
        }
    }
    if named == 0 && wrong.is_empty() {
        wrong.push(format!("names no {kind} and says neither `planned:` nor `none:`"));
    }
    wrong
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// The words of a line of code, in order.
fn words(line: &str) -> Vec<&str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect()
}

/// Whether `text` defines the last part of `path` and knows the parts before it.
fn defines(text: &str, path: &str) -> bool {
    const KINDS: [&str; 9] =
        ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "macro_rules"];
    let parts: Vec<&str> = path.split("::").collect();
    let Some((last, before)) = parts.split_last() else { return false };
    let code = || text.lines().filter(|l| !is_comment(l));
    let families = text.split("family! {").skip(1).filter_map(|rest| rest.split("\n}").next());
    let table = format!("{last}: ");
    let defined = code().any(|line| words(line).windows(2).any(|w| KINDS.contains(&w[0]) && w[1] == *last))
        || families.flat_map(str::lines).any(|line| line.trim_start().starts_with(&table));
    defined && before.iter().all(|part| code().any(|line| words(line).contains(part)))
}

/// Whether `text` has a test of this name.
fn has_test(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let header = |l: &&&str| l.trim_start().starts_with("#[") || is_comment(l);
    lines.iter().enumerate().any(|(i, line)| {
        let is_fn = !is_comment(line) && words(line).windows(2).any(|w| w == ["fn", name]);
        is_fn && lines[..i].iter().rev().take_while(header).any(|l| l.trim() == "#[test]")
    })
}

#[test]
fn every_row_of_the_paper_table_leads_to_code_and_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let paper = fs::read_to_string(root.join("PAPER.md")).unwrap();
    let wrong = problems(&paper, |path| fs::read_to_string(root.join(path)).ok());
    assert!(wrong.is_empty(), "PAPER.md:\n{}", wrong.join("\n"));
}

/// A paper in which every row is right; `with` replaces the row of its label.
fn paper_with(with: &str) -> Vec<String> {
    let row = |l: &String| format!("| {l} | says so | `a/b.rs` `Gossip::listen` | `a/b.rs` `it_holds` |");
    let replaced = with.split('|').nth(1).map(str::trim).unwrap_or_default();
    let rows: Vec<String> = labels().iter().filter(|l| *l != replaced).map(row).collect();
    let code = "struct Gossip;\nimpl Gossip {\n    fn listen() {}\n}\n// fn ghost() {}\n\
                family! {\n    LOSSES: Build = a\n}\n#[test]\n/// Doc.\nfn it_holds() {}\nfn helper() {}\n";
    problems(&format!("| no | what |\n|---|---|\n{}\n{with}\n", rows.join("\n")), |path| {
        (path == "a/b.rs").then(|| code.to_owned())
    })
}

#[test]
fn a_right_table_has_no_problem() {
    let none: Vec<String> = Vec::new();
    assert_eq!(paper_with(""), none);
    assert_eq!(paper_with("| (7) | s | `a/b.rs` `Gossip` `LOSSES` | planned: with exact privacy |"), none);
}

#[test]
fn every_kind_of_lie_is_found() {
    for (row, complaint) in [
        ("| (7) | s | `a/b.rs` `Gossip::speak` | `a/b.rs` `it_holds` |", "has no item Gossip::speak"),
        ("| (7) | s | `a/b.rs` `Relay::listen` | `a/b.rs` `it_holds` |", "has no item Relay::listen"),
        ("| (7) | s | `a/b.rs` `ghost` | `a/b.rs` `it_holds` |", "has no item ghost"),
        ("| (7) | s | `a/c.rs` `listen` | `a/b.rs` `it_holds` |", "no file a/c.rs"),
        ("| (7) | s | `listen` | `a/b.rs` `it_holds` |", "before any file"),
        ("| (7) | s | `a/b.rs` | `a/b.rs` `it_holds` |", "names no item"),
        ("| (7) | s | `a/b.rs` `listen` | `a/b.rs` `helper` |", "has no test helper"),
        ("| (7) | s | `a/b.rs` `listen` | |", "names no test"),
        ("| (7) | s | none: | `a/b.rs` `it_holds` |", "no reason"),
        ("| (7) | s | `a/b.rs` `listen | `a/b.rs` `it_holds` |", "backquote"),
        ("| (7) | s | `a/b.rs` `listen` |", "four cells"),
        ("| (7) | | `a/b.rs` `listen` | `a/b.rs` `it_holds` |", "does not say"),
        ("| (38) | s | `a/b.rs` `listen` | `a/b.rs` `it_holds` |", "nothing of that name"),
        ("| Lemma 7 | s | `a/b.rs` `listen` | `a/b.rs` `it_holds` |", "nothing of that name"),
    ] {
        let found = paper_with(row);
        assert!(found.len() == 1 && found[0].contains(complaint), "{row}\n{found:?}");
    }
}

#[test]
fn a_missing_and_a_doubled_row_are_found() {
    assert_eq!(problems("", |_| None).len(), labels().len());
    let twice = "| (7) | s | none: for this test | none: for this test |\n".repeat(2);
    assert!(problems(&twice, |_| None).contains(&"(7): has two rows".to_owned()));
}
